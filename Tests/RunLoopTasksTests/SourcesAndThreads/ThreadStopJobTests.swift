import Foundation
import Testing

@testable import RunLoopTasks

/// The jobs of actors as their `RunLoopThread` stops.
@Suite struct ThreadStopJobTests {
  @Test func jobsEnqueuedBeforeTheStopStillRun() async throws {
    for _ in 1...50 {
      let thread = RunLoopThread(name: "worker")
      let actor = ThreadActor(thread)
      let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let blocking = Task { await actor.block(hasBegun, mayEnd) }
      await eventually { hasBegun.wait(timeout: .now()) == .success }
      let tasks = (1...10).map { number in Task { await actor.add(number) } }
      await eventually { thread.core.waitingJobs == 10 }
      thread.stop()
      mayEnd.signal()
      for task in [blocking] + tasks { await task.value }
      join(thread)
    }
  }

  /// The loop has ended, so the task that the job schedules is cancelled, and running the loop returns.
  @Test func aJobThatRunsAfterTheEndMayRunTheLoop() async {
    let thread = RunLoopThread(name: "worker")
    let (actor, log) = (ThreadActor(thread), Log())
    let (hasBegun, mayEnd) = (Counter(), DispatchSemaphore(value: 0))
    thread.taskQueue.perform(when: .currentLoopEnded) {
      hasBegun.count()
      mayEnd.wait()
    }
    await eventually { hasBegun.value == 1 }
    let job = Task { await actor.runLoop(log) }
    await eventually { thread.core.waitingJobs == 1 }
    thread.stop()
    mayEnd.signal()
    await job.value
    join(thread)
    #expect(log.events == ["3", "returned"])
  }
}

extension ThreadActor {
  /// Runs the loop for some passes.
  fileprivate func runLoop(_ log: Log) {
    func pass(_ left: Int) {
      calls += 1
      log("\(left)")
      if left == 0 { return stopRun() }
      RunLoop.current.perform { pass(left - 1) }.when(.nextLoopBegan)
    }
    pass(3)
    run()
    log("returned")
  }

  fileprivate func block(_ hasBegun: DispatchSemaphore, _ mayEnd: DispatchSemaphore) {
    calls += 1
    hasBegun.signal()
    mayEnd.wait()
  }
}
