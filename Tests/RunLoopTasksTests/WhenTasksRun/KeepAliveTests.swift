import CoreFoundation
import Foundation
import RunLoopTasks
import Testing
import XCTest

/// Pending tasks keep the runs of their modes alive, and no longer.
///
/// The runs have no limit, so a run that does not return hits the watchdog.
@Suite(.onOwnLoop) struct KeepAliveTests {
  let log = Log()

  @Test(arguments: RunLoopTask.Timing.allCases)
  func aRunOnABareThreadRunsItsTaskAndReturns(timing: RunLoopTask.Timing) {
    RunLoop.current.perform { log("task") }.when(timing)
    log("\(RunLoop.current.run(mode: .default, before: .distantFuture))")
    log("\(RunLoop.current.run(mode: .default, before: .distantFuture))")
    #expect(log.events == ["task", "true", "false"])
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func aRunReturnsAfterTheLastOfManyTasks(timing: RunLoopTask.Timing) {
    func task(_ left: Int) {
      log("\(left)")
      if left > 0 { RunLoop.current.perform { task(left - 1) }.when(timing) }
    }
    RunLoop.current.perform { task(3) }.when(timing)
    run()
    log("returned")
    #expect(log.events == ["3", "2", "1", "0", "returned"])
  }

  // MARK: other modes

  @Test func tasksOfOtherModesDoNotKeepARunAlive() {
    RunLoop.current.perform {}.when(.idle).forModes(.custom)
    _ = RunLoop.current.run(mode: .default, before: .distantFuture)
    #expect(RunLoop.current.taskQueue.count == 1)
  }

  // MARK: ways to run a loop

  @Test func theRunMethodsOfFoundationRunTasks() {
    RunLoop.current.perform { log("run()") }.when(.currentLoopEnded)
    RunLoop.current.run()
    RunLoop.current.perform { log("run(until:)") }.when(.currentLoopEnded)
    RunLoop.current.run(until: .distantFuture)
    RunLoop.current.perform { log("past") }.when(.currentLoopEnded)
    RunLoop.current.run(until: .distantPast)
    RunLoop.current.perform { log("limit") }.when(.currentLoopEnded)
    CFRunLoopRunInMode(RunLoop.Mode.default.cf, 3600, true)
    RunLoop.current.perform { log("CFRunLoopRun") }.when(.currentLoopEnded)
    CFRunLoopRun()
    #expect(log.events == ["run()", "run(until:)", "past", "limit", "CFRunLoopRun"])
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func theWaitsOfXCTestRunTasks(timing: RunLoopTask.Timing) {
    let expectation = XCTestExpectation(description: "the task")
    RunLoop.current.perform { expectation.fulfill() }.when(timing)
    #expect(XCTWaiter().wait(for: [expectation], timeout: 60) == .completed)
  }
}
