import Foundation
import Testing

@testable import RunLoopTasks

/// A loop does not sleep on a task that comes into its mode right before the sleep.
///
/// The runs have no limit, so a loop that sleeps on a due task hits the watchdog.
@Suite struct BeforeSleepTests {
  @Test(arguments: [Order.first, Order.app, Order.frame, Order.last], [true, false])
  func theLoopDoesNotSleepOnATaskOfAnObserver(order: Int, isFirstTask: Bool) {
    for timing in RunLoopTask.Timing.allCases {
      let events = eventsOnLoopThread(keepingAlive: [.default]) { log in
        if !isFirstTask { RunLoop.current.perform {}.when(.currentLoopEnded) }
        observeOnce(.beforeWaiting, order: order) { RunLoop.current.perform { log.andStop("task") }.when(timing) }
        run()
      }
      #expect(events == ["task"])
    }
  }

  @Test(arguments: [Order.app, Order.frame, Order.last])
  func theLoopDoesNotSleepOnATaskMovedIntoItsMode(order: Int) {
    let events = eventsOnLoopThread(keepingAlive: [.default]) { log in
      let task = RunLoop.current.taskQueue.perform(forModes: [.custom]) { log.andStop("task") }
      RunLoop.current.perform {}.when(.currentLoopEnded)
      observeNumbered(.beforeWaiting, order: order) { pass in
        // The first task wakes the loop for another pass, so the loop would sleep only after the second one.
        if pass == 2 { task.forModes(.default) }
      }
      run()
    }
    #expect(events == ["task"])
  }

  @Test func anEndedTaskOfAnObserverRunsInTheSamePassAfterEmptyPasses() {
    let events = eventsOnLoopThread(keepingAlive: [.default]) { log in
      runTaskAndEmptyPasses()
      logActivities(log)
      observe(.beforeWaiting, order: Order.app) { _ in
        RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
      }
      observe(.beforeWaiting, order: Order.frame) { _ in log("frame") }
      RunLoop.current.runPass()
    }
    #expect(events == ["entry", "beforeWaiting", "task", "frame", "afterWaiting", "exit"])
  }

  @Test(arguments: [Order.first, Order.app, Order.last])
  func theLoopDoesNotSleepOnATaskScheduledInANestedPass(order: Int) {
    let events = eventsOnLoopThread(keepingAlive: [.default, .custom]) { log in
      let queue = RunLoop.current.taskQueue
      observeOnce(.beforeWaiting, order: order) {
        RunLoop.current.perform(inModes: [.custom]) { queue.perform { log.andStop("task") } }
        RunLoop.current.runPass(mode: .custom)
      }
      run()
    }
    #expect(events == ["task"])
  }

  @Test(arguments: [Order.app, Order.frame, Order.last])
  func theLoopDoesNotSleepOnATaskScheduledAfterANestedRun(order: Int) {
    let events = eventsOnLoopThread(keepingAlive: [.default]) { log in
      observeOnce(.beforeWaiting, order: order) {
        RunLoop.current.perform { log("nested") }.when(.currentLoopEnded)
        poll()
        RunLoop.current.perform { log.andStop("task") }.when(.nextLoopBegan)
      }
      run()
    }
    #expect(events == ["nested", "task"])
  }
}
