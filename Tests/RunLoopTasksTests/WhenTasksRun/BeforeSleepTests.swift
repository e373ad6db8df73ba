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

  @Test(arguments: [Order.app, Order.frame, Order.last])
  func theLoopDoesNotSleepOnATaskMovedIntoItsMode(order: Int) {
    keepAlive(.default)
    let task = RunLoop.current.taskQueue.perform(forModes: [.custom]) { log.andStop("task") }
    RunLoop.current.perform {}.when(.currentLoopEnded)
    observeNumbered(.beforeWaiting, order: order) { pass in
      // The first task wakes the loop for another pass, so the loop would sleep only after the second one.
      if pass == 2 { task.forModes(.default) }
    }
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

  @Test(arguments: [Order.first, Order.app, Order.last])
  func theLoopDoesNotSleepOnATaskScheduledInANestedPass(order: Int) {
    keepAlive(.default, .custom)
    let queue = RunLoop.current.taskQueue
    observeOnce(.beforeWaiting, order: order) {
      RunLoop.current.perform(inModes: [.custom]) { queue.perform { log.andStop("task") } }
      RunLoop.current.runPass(mode: .custom)
    }
    run()
    #expect(log.events == ["task"])
  }

  @Test(arguments: [Order.app, Order.frame, Order.last])
  func theLoopDoesNotSleepOnATaskScheduledAfterANestedRun(order: Int) {
    keepAlive(.default)
    observeOnce(.beforeWaiting, order: order) {
      RunLoop.current.perform { log("nested") }.when(.currentLoopEnded)
      poll()
      RunLoop.current.perform { log.andStop("task") }.when(.nextLoopBegan)
    }
    run()
    #expect(log.events == ["nested", "task"])
  }
}
