import Foundation
import RunLoopTasks
import Testing

/// The properties of a `RunLoopThread`, and how it runs its loop.
@Suite(.onOwnLoop) struct RunLoopThreadTests {
  private let thread = RunLoopThread(name: "worker")

  @Test func theThreadHasItsPropertiesAndRunsItsLoop() async throws {
    let thread = RunLoopThread(name: "worker", qualityOfService: .utility, stackSize: 1 << 20)
    let (name, mode, stackSize, quality) = try await thread.taskQueue.run(when: .currentLoopEnded) {
      (Thread.current.name, RunLoop.current.currentMode, Thread.current.stackSize, Thread.current.qualityOfService)
    }
    #expect(quality == .utility)
    #expect(name == "worker")
    #expect(mode == .default)
    #expect(stackSize == 1 << 20)
    thread.stop()
  }

  @Test(arguments: ["exactly fifteen", "a name that is too long for Linux", "Größe der Öffnung"])
  func longNamesAreTruncated(name: String) async throws {
    let thread = RunLoopThread(name: name)
    let own = try await thread.taskQueue.run { Thread.current.name ?? "" }
    #expect(name.hasPrefix(own))
    #expect(own.utf8.count >= 13 && (own == name || name.utf8.count > 15))
    thread.stop()
  }

  @Test func aTimerOfTheThreadFires() async {
    await withCheckedContinuation { continuation in
      thread.taskQueue.perform { addTimer { continuation.resume() } }
    }
  }

  enum Serving: CaseIterable { case normal, stopping, nesting }

  /// A task that waits for the end of a run becomes due once sources were served, and not earlier.
  @Test(arguments: Serving.allCases) func theRunEndsOnceSourcesWereServed(_ serving: Serving) {
    let (log, isGoingToSleep, isDone) = (Log(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let source = RunLoopSource<Int> { _ in
      log("{")
      if serving == .stopping { stopRun() }
      if serving == .nesting { poll() }
      log("}")
    }
    thread.taskQueue.perform {
      RunLoop.current.add(source, forMode: .default)
      observe([.entry, .exit]) { log("\($0)") }
      observe(.beforeWaiting, order: Order.last) { _ in isGoingToSleep.signal() }
      source.send(1)
    }
    isGoingToSleep.waitOrDie("the thread to go to sleep")
    thread.taskQueue.perform(when: .idle) {
      log("end")
      isDone.signal()
    }
    isDone.waitOrDie("the idle task")
    thread.stop()
    join(thread)
    let expected =
      switch serving {
      case .normal, .stopping: ["{", "}", "exit"]
      case .nesting: ["{", "entry", "exit", "}", "exit"]
      }
    #expect(log.events.prefix { $0 != "end" }.starts(with: expected))
  }

  /// The source always has commands, and comes before the jobs.
  @Test func aBusySourceDoesNotStarveJobsAndTasks() async throws {
    let actor = ThreadActor(thread)
    try await thread.taskQueue.run {
      _ = addSource(order: -1) { source, _ in source.send(1) }.send(1)
    }
    for number in 1...10 {
      await actor.add(number)
      for timing in RunLoopTask.Timing.allCases { try await thread.taskQueue.run(when: timing) {} }
    }
    #expect(await actor.numbers == Array(1...10))
  }
}
