import Foundation
import RunLoopTasks
import Testing

/// The release of a cancelled closure may schedule tasks and run the loop.
@Suite(.onOwnLoop) struct ReleaseTests {
  let log = Log()

  /// Calls a closure when it is deallocated.
  private final class ReleaseHook: @unchecked Sendable {
    // Unchecked, because it is made, used and released on the loop's own thread.
    private let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
    deinit { body() }
    /// A closure that calls this keeps the hook, also in an optimized build.
    func use() { withExtendedLifetime(self) {} }
  }

  /// Returns a task whose closure calls `body` when it is released.
  private func makeTask(
    _ timing: RunLoopTask.Timing = .nextLoopBegan, forMode mode: RunLoop.Mode = .default,
    whenReleased body: @escaping () -> Void
  ) -> RunLoopTask {
    let hook = ReleaseHook(body)
    return RunLoop.current.perform { hook.use() }.when(timing).forModes(mode)
  }

  @Test(arguments: [RunLoop.Activity.entry, .beforeWaiting, .afterWaiting, .exit], RunLoopTask.Timing.allCases)
  func theReleaseOfACancelledClosureMayRunTheLoop(activity: RunLoop.Activity, timing: RunLoopTask.Timing) {
    keepAlive(.default)
    let task = makeTask(.idle) {
      log("{")
      RunLoop.current.perform { log.andStop("task") }.when(timing)
      run()
      log("}")
    }
    RunLoop.current.perform {}.when(.idle).forModes(.other)
    RunLoop.current.perform {}.when(.nextLoopBegan)
    observeOnce(activity, order: Order.app) { elsewhere { task.cancel() } }
    RunLoop.current.runUntilTasksFinish()
    #expect(log.events == ["{", "task", "}"])
  }

  /// The package does not observe the mode of the nested run, and that run consumes the wake-up of the message.
  @Test func theLoopDoesNotSleepOnTheReleaseOfAClosureThatAnotherThreadCancelled() {
    keepAlive(.default, .other)
    let task = makeTask(forMode: .custom) { log.andStop("released") }
    RunLoop.current.perform {}.forModes(.custom)  // so that the cancellation empties no mode
    RunLoop.current.perform {}.when(.currentLoopEnded)
    observeNumbered(.beforeWaiting, order: Order.frame) { pass in
      guard pass == 2 else { return }  // the first task wakes the loop for another pass
      elsewhere { task.cancel() }
      RunLoop.current.runPass(mode: .other)
    }
    run()
    #expect(log.events == ["released"])
  }

  /// The task observer is busy with the release, so another one must serve the nested passes.
  @Test func tasksRunInEmptyPassesNestedInARelease() {
    keepAlive(.default)
    let task = makeTask(forMode: .other) {
      runTaskAndEmptyPasses()
      observe(.beforeWaiting, order: Order.app) { _ in
        RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
      }
      observe(.beforeWaiting, order: Order.frame) { _ in log("frame") }
      RunLoop.current.runPass()
      log("released")
    }
    runTaskAndEmptyPasses()
    elsewhere { task.cancel() }
    RunLoop.current.runPass()
    #expect(log.events.prefix(3) == ["task", "frame", "released"])
  }

  @Test func aClosureThatAnotherThreadReplacedIsReleasedAfterAllMessagesAreRead() {
    keepAlive(.default)
    makeTask(.idle) {
      log("{")
      run()
      log("}")
    }.coalesced(by: 1)
    let queue = RunLoop.current.taskQueue
    elsewhere {
      queue.perform(forModes: [.custom]) {}.coalesced(by: 1)
      queue.perform(when: .currentLoopEnded) { log.andStop("task") }
    }
    RunLoop.current.runUntilTasksFinish()
    #expect(log.events == ["{", "task", "}"])
  }
}
