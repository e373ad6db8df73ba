import Foundation
import Testing

@testable import RunLoopTasks

/// A `.nextLoopBegan` task runs at `entry` once a run in its modes was left without having slept.
@Suite struct BeganAtEntryTests {
  @Test func aBeganTaskRunsAtEntryAfterARunThatDidNotSleep() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      RunLoop.current.perform { log("task") }.when(.nextLoopBegan)
      poll()
      poll()
    }
    #expect(events == ["entry", "exit", "entry", "task", "exit"])
  }

  @Test func aBeganTaskRunsAtEntryAfterTheRunInWhichItWasScheduled() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      let source = Source { RunLoop.current.perform { log("task") }.when(.nextLoopBegan) }
      source.signal()
      _ = RunLoop.current.run(mode: .default, before: .distantFuture)
      source.remove()
      run()
    }
    #expect(events == ["entry", "exit", "entry", "task", "beforeWaiting", "afterWaiting", "exit"])
  }

  @Test(arguments: [Order.first, Order.frame])
  func aBeganTaskScheduledAtExitRunsAtTheNextEntry(order: Int) {
    let events = eventsOnLoopThread(keepingAlive: [.default]) { log in
      RunLoop.current.perform {}.when(.idle)
      observeOnce(.exit, order: order) { RunLoop.current.perform { log("task") }.when(.nextLoopBegan) }
      logActivities(log)
      poll()
      log("left")
      poll()
    }
    #expect(events == ["entry", "exit", "left", "entry", "task", "exit"])
  }

  @Test func aBeganTaskForTheCommonModesRunsAtEntryAfterARunInAnyOfThem() {
    let events = eventsOnLoopThread(keepingAlive: [.custom]) { log in
      makeCommon(.custom)
      RunLoop.current.perform { log("custom") }.when(.nextLoopBegan).forModes(.custom)
      observeOnce(.exit, in: .custom, order: Order.frame) {
        RunLoop.current.perform { log("common") }.when(.nextLoopBegan).forModes(.common)
      }
      poll(.custom)
      poll(.custom)
    }
    #expect(events == ["custom", "common"])
  }

  @Test func aNewBeganTaskDoesNotRunAtEntryWithOlderOnes() {
    let events = eventsOnLoopThread { log in
      for number in 1...2 { RunLoop.current.perform { log("left \(number)") }.when(.nextLoopBegan) }
      poll()
      for number in 1...2 { RunLoop.current.perform { log("new \(number)") }.when(.nextLoopBegan) }
      logActivities(log)
      run()
    }
    #expect(events == ["entry", "left 1", "left 2", "beforeWaiting", "afterWaiting", "new 1", "new 2", "exit"])
  }

  @Test func aRunInAnotherModeDoesNotMakeABeganTaskDueAtEntry() {
    let events = eventsOnLoopThread(keepingAlive: [.custom]) { log in
      RunLoop.current.perform { log("task") }.when(.nextLoopBegan)
      poll(.custom)
      logActivities(log)
      run()
    }
    #expect(events == ["entry", "beforeWaiting", "afterWaiting", "task", "exit"])
  }
}
