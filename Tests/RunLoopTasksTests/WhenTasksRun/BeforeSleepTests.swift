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

  /// The package knows the loop, but has not observed the mode.
  @Test(arguments: RunLoopTask.Timing.allCases)
  func theLoopDoesNotSleepOnTheFirstTaskOfItsMode(timing: RunLoopTask.Timing) {
    RunLoop.current.perform {}.cancel()
    keepAlive(.custom)
    observeOnce(.beforeWaiting, in: .custom) {
      RunLoop.current.perform { log.andStop("task") }.when(timing).forModes(.custom)
    }
    run(.custom)
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
