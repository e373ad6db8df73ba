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

  @Test func aTimerOfTheThreadFires() async {
    await withCheckedContinuation { continuation in
      thread.taskQueue.perform { addTimer { continuation.resume() } }
    }
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
