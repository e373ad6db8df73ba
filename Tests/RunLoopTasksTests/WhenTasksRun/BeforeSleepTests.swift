import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// A loop does not sleep on a task that comes into its mode right before the sleep.
///
/// The runs have no limit, so a loop that sleeps on a due task hits the watchdog.
@Suite(.onOwnLoop) struct BeforeSleepTests {
  let log = Log()

  @Test(
    arguments: combinations(
      RunLoopTask.Timing.allCases, [Order.first, Order.app, Order.frame, Order.last], [true, false]))
  func theLoopDoesNotSleepOnATaskOfAnObserver(timing: RunLoopTask.Timing, order: Int, isFirstTask: Bool) {
    keepAlive(.default)
    if !isFirstTask { RunLoop.current.perform {}.when(.currentLoopEnded) }
    observeOnce(.beforeWaiting, order: order) { RunLoop.current.perform { log.andStop("task") }.when(timing) }
    run()
    #expect(log.events == ["task"])
  }

  @Test func anEndedTaskOfAnObserverRunsInTheSamePassAfterEmptyPasses() {
    keepAlive(.default)
    runTaskAndEmptyPasses()
    logActivities(log)
    observe(.beforeWaiting, order: Order.app) { _ in
      RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
    }
    observe(.beforeWaiting, order: Order.frame) { _ in log("frame") }
    RunLoop.current.runPass()
    #expect(log.events == ["entry", "beforeWaiting", "task", "frame", "afterWaiting", "exit"])
  }

  /// A task of another mode comes in first. A run nested in a mode that the package does not know consumes its wake-up.
  @Test func aTaskRunsAlthoughATaskOfAnotherModeHasWokenTheLoop() {
    let source = Source(in: .other) {}
    keepAlive(.other)
    RunLoop.current.perform {}.forModes(.custom).cancel()
    runEmptyPasses(.custom)
    let delayed = RunLoop.current.perform {}.after(.seconds(3_600))
    observeOnce(.beforeWaiting, order: Order.last) {
      RunLoop.current.perform(when: .idle, forModes: [.custom]) {}
      for _ in 0..<3 {
        source.signal()
        CFRunLoopRunInMode(RunLoop.Mode.other.cf, 1e10, true)  // returns after a source
      }
      RunLoop.current.perform {
        log("task")
        delayed.cancel()
      }.when(.currentLoopEnded)
    }
    run()
    #expect(log.events == ["task"])
  }

  /// The release comes at `afterWaiting`, when no other task is left.
  @Test(arguments: RunLoopTask.Timing.allCases)
  func aTaskThatTheReleaseOfACancelledClosureSchedulesRuns(timing: RunLoopTask.Timing) {
    let task = RunLoop.current.perform(
      closure(whenReleased: { RunLoop.current.perform { log("ran") }.when(timing) })
    ).after(.seconds(3_000))
    observeOnce(.beforeWaiting, order: Order.last) { elsewhere { task.cancel() } }
    run()
    #expect(log.events == ["ran"])
    #expect(RunLoop.current.taskQueue.count == 0)
  }
}
