import Foundation
import RunLoopTasks
import Testing

/// `stop(runningDelayedTasks: true)`, by which what waits runs, too.
@Suite(.onOwnLoop) struct ThreadDelayedDrainTests {
  private let thread = RunLoopThread(name: "worker")
  private let log = Log()
  private var queue: RunLoopTaskQueue { thread.taskQueue }

  @Test func whatWaitsRunsByItsDatesBehindWhatIsInLine() {
    let kept = queue.perform(coalescedBy: "key", atMostEvery: .seconds(2_000)) {}
    waitUntil { kept.state == .finished }
    thread.end {
      queue.perform(after: .seconds(3_000)) { log("delay of 3,000") }
      queue.perform(coalescedBy: "key", atMostEvery: .seconds(2_000)) { log("interval of 2,000") }
      queue.perform(after: .seconds(1_000), forModes: [.custom, .common]) { log("delay of 1,000") }
      queue.perform(after: .seconds(1_000), forModes: [.custom]) { log("other mode") }
      thread.stop(runningDelayedTasks: true)
      queue.perform(when: .idle) { log("in line") }
    }
    #expect(log.events == ["in line", "delay of 1,000", "interval of 2,000", "delay of 3,000"])
    #expect(queue.count == 0)
  }

  /// Each asks for itself again, and the first one replaces the other one.
  @Test func whatItsTasksAskForAgainHasTwoMoreTurns() {
    @Sendable func save(_ name: String, _ delay: Int, asking other: String?) {
      queue.perform(after: .seconds(delay), coalescedBy: name) {
        log(name)
        save(name, delay, asking: nil)
        if let other { save(other, delay + 1, asking: nil) }
      }
    }
    thread.end {
      save("one", 1_000, asking: "other")
      save("other", 2_000, asking: "one")
      thread.stop(runningDelayedTasks: true)
    }
    #expect(log.events == ["one", "one", "other", "one", "other"])
  }

  /// What the tasks in line schedule waits for the second round, and so runs behind it.
  @Test func aRoundOfWhatWaitsRunsNothingElse() {
    thread.stop(runningDelayedTasks: true) { [queue] in
      queue.perform(after: .seconds(3_000)) { log("delayed") }
      queue.perform {
        log("first round")
        queue.perform {
          log("second round")
          queue.perform {
            log("the end")
            queue.perform { log("too late") }
          }
        }
      }
    }
    join(thread)
    #expect(log.events == ["first round", "delayed", "second round", "the end"])
  }

  @Test func commandsMayStillAskForDelayedTasks() {
    let source = RunLoopSource<Int> { commands in
      RunLoop.current.perform { log("delayed \(commands)") }.after(.seconds(3_000))
    }
    thread.taskQueue.addAndWait(source)
    thread.end {
      source.send(1)
      thread.stop(runningDelayedTasks: true)
    }
    #expect(log.events == ["delayed [1]"])
  }

  @Test(arguments: [[true, false], [false, true], [false, false]]) func trueWins(_ calls: [Bool]) {
    thread.end {
      queue.perform(after: .seconds(3_000)) { log("ran") }
      for call in calls { thread.stop(runningDelayedTasks: call) }
    }
    #expect(log.events == (calls.contains(true) ? ["ran"] : []))
  }

  @Test func aCallOnceTheDrainHasBegunIsTooLate() {
    thread.stop { [thread, queue] in
      queue.perform(after: .seconds(3_000)) { log("ran") }
      queue.perform { thread.stop(runningDelayedTasks: true) }  // in the drain
    }
    join(thread)
    #expect(log.events == [])
  }

  @Test func whatAsyncCodeAwaitsWithADelayThrows() async throws {
    let clock = queue.clock
    let isHeld = DispatchSemaphore(value: 0)
    let held = queue.perform { isHeld.waitOrDie("the callers") }
    let sleeper = Task { try await clock.sleep(for: .seconds(3_000)) }
    let callers = [Duration.zero, .seconds(3_000)].map { delay in
      Task { [queue] in try await queue.run(after: delay) { log("\(delay)") } }
    }
    waitUntil { held.state == .running && queue.count == 3 }
    thread.stop(runningDelayedTasks: true)
    isHeld.signal()
    try await callers[0].value
    await #expect(throws: CancellationError.self) { try await callers[1].value }
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(log.events == ["\(Duration.zero)"])
  }
}
