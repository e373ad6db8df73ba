import Foundation
import RunLoopTasks
import Testing

/// A `.nextLoopBegan` task runs at `entry` once a run in its modes was left without having slept.
@Suite(.onOwnLoop) struct BeganAtEntryTests {
  let log = Log()

  @Test func aBeganTaskRunsAtEntryAfterARunThatDidNotSleep() {
    logActivities(log)
    RunLoop.current.perform { log("task") }.when(.nextLoopBegan)
    poll()
    poll()
    #expect(log.events == ["entry", "exit", "entry", "task", "exit"])
  }

  @Test func aBeganTaskRunsAtEntryAfterTheRunInWhichItWasScheduled() {
    logActivities(log)
    let source = Source { RunLoop.current.perform { log("task") }.when(.nextLoopBegan) }
    source.signal()
    _ = RunLoop.current.run(mode: .default, before: .distantFuture)
    source.remove()
    run()
    #expect(log.events == ["entry", "exit", "entry", "task", "beforeWaiting", "afterWaiting", "exit"])
  }

  @Test(arguments: [Order.first, Order.frame])
  func aBeganTaskScheduledAtExitRunsAtTheNextEntry(order: Int) {
    keepAlive(.default)
    RunLoop.current.perform {}.when(.idle)
    observeOnce(.exit, order: order) { RunLoop.current.perform { log("task") }.when(.nextLoopBegan) }
    logActivities(log)
    poll()
    log("left")
    poll()
    #expect(log.events == ["entry", "exit", "left", "entry", "task", "exit"])
  }

  @Test func aRunInAnotherModeDoesNotMakeABeganTaskDueAtEntry() {
    keepAlive(.custom)
    RunLoop.current.perform { log("task") }.when(.nextLoopBegan)
    poll(.custom)
    logActivities(log)
    run()
    #expect(log.events == ["entry", "beforeWaiting", "afterWaiting", "task", "exit"])
  }
}
