import CoreFoundation
import Foundation
import Testing
import XCTest

@testable import RunLoopTasks

/// Pending tasks keep the runs of their modes alive, and no longer.
///
/// The runs have no limit, so a run that does not return hits the watchdog.
@Suite struct KeepAliveTests {
  @Test(arguments: RunLoopTask.Timing.allCases)
  func aRunOnABareThreadRunsItsTaskAndReturns(timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("task") }.when(timing)
      log("\(RunLoop.current.run(mode: .default, before: .distantFuture))")
      log("\(RunLoop.current.run(mode: .default, before: .distantFuture))")
    }
    #expect(events == ["task", "true", "false"])
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func aRunReturnsAfterTheLastOfManyTasks(timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      func task(_ left: Int) {
        log("\(left)")
        if left > 0 { RunLoop.current.perform { task(left - 1) }.when(timing) }
      }
      RunLoop.current.perform { task(3) }.when(timing)
      run()
      log("returned")
    }
    #expect(events == ["3", "2", "1", "0", "returned"])
  }

  @Test func aRunReturnsAfterTasksThatRanAtItsEntry() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("task") }.when(.nextLoopBegan)
      poll()
      run()
      log("returned")
    }
    #expect(events == ["task", "returned"])
  }

  @Test func aRunReturnsIfItsOnlyTaskRanInARunNestedAtItsEntry() {
    onLoopThread {
      RunLoop.current.perform {}.when(.currentLoopEnded)
      observeOnce(.entry, order: Order.app) { poll() }
      run()
    }
  }

  @Test func aTaskOfARunThatPollsKeepsNoLaterRunAlive() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { RunLoop.current.perform { log("task") }.when(.currentLoopEnded) }
      poll()
      for _ in 1...2 { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
      log("\(RunLoop.current.run(mode: .default, before: .distantFuture))")
    }
    #expect(events == ["task", "false"])
  }

  // MARK: other modes

  @Test func tasksOfOtherModesDoNotKeepARunAlive() {
    onLoopThread {
      RunLoop.current.perform {}.when(.idle).forModes(.custom)
      _ = RunLoop.current.run(mode: .default, before: .distantFuture)
      #expect(RunLoop.current.taskQueue.count == 1)
    }
  }

  @Test func aTaskMovedToAnotherModeKeepsOnlyThatModeAlive() {
    onLoopThread {
      let task = RunLoop.current.perform {}.when(.idle).forModes(.custom, .other)
      _ = RunLoop.current.run(mode: .default, before: .distantFuture)
      task.forModes(.other)
      _ = RunLoop.current.run(mode: .custom, before: .distantFuture)
      #expect(RunLoop.current.run(mode: .other, before: .distantFuture))
    }
  }

  // MARK: ways to run a loop

  @Test func theRunMethodsOfFoundationRunTasks() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("run()") }.when(.currentLoopEnded)
      RunLoop.current.run()
      RunLoop.current.perform { log("run(until:)") }.when(.currentLoopEnded)
      RunLoop.current.run(until: .distantFuture)
      RunLoop.current.perform { log("past") }.when(.currentLoopEnded)
      RunLoop.current.run(until: .distantPast)
      RunLoop.current.perform { log("limit") }.when(.currentLoopEnded)
      CFRunLoopRunInMode(RunLoop.Mode.default.cfMode, 3600, true)
      RunLoop.current.perform { log("CFRunLoopRun") }.when(.currentLoopEnded)
      CFRunLoopRun()
    }
    #expect(events == ["run()", "run(until:)", "past", "limit", "CFRunLoopRun"])
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func theWaitsOfXCTestRunTasks(timing: RunLoopTask.Timing) {
    let result: Bool = onLoopThread {
      let expectation = XCTestExpectation(description: "the task")
      RunLoop.current.perform { expectation.fulfill() }.when(timing)
      return XCTWaiter().wait(for: [expectation], timeout: 60) == .completed
    }
    #expect(result)
  }
}
