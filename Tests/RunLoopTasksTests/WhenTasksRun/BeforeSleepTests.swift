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
}
