import CoreFoundation
import Foundation
import RunLoopTasks
import Testing
import XCTest

/// Pending tasks keep the runs of their modes alive, and no longer, wherever they run or are cancelled.
///
/// The runs have no limit, so a run that does not return hits the watchdog.
@Suite(.onOwnLoop) struct KeepAliveTests {
  let log = Log()

  @Test(arguments: RunLoopTask.Timing.allCases)
  func aRunOnABareThreadReturnsAfterTheLastOfItsTasks(timing: RunLoopTask.Timing) {
    func task(_ left: Int) {
      log("\(left)")
      if left > 0 { RunLoop.current.perform { task(left - 1) }.when(timing) }
    }
    RunLoop.current.perform { task(3) }.when(timing)
    log("\(RunLoop.current.run(mode: .default, before: .distantFuture))")
    log("\(RunLoop.current.run(mode: .default, before: .distantFuture))")
    #expect(log.events == ["3", "2", "1", "0", "true", "false"])
  }

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

  // MARK: the last task is cancelled

  enum Change: CaseIterable { case cancel, cancelAll, cancelTask, forModes }

  /// The last observer is called after the package's last check before the sleep.
  @Test(arguments: Change.allCases) func aRunReturnsIfTheLastObserverTakesItsOnlyTaskAway(_ change: Change) {
    let queue = RunLoop.current.taskQueue
    let task = RunLoop.current.perform {}.after(.seconds(3_600)).coalesced(by: 1)
    observeOnce(.beforeWaiting, order: Order.last) {
      switch change {
      case .cancel: task.cancel()
      case .cancelAll: queue.cancelAll()
      case .cancelTask: queue.cancelTask(coalescedBy: 1)
      case .forModes: task.forModes(.custom)
      }
    }
    run()
  }

  /// A poll has no `afterWaiting`, so the mode has to be detached at its `exit`.
  @Test func aNestedLoopOfPollsFindsItsModeEmpty() {
    var polls = 0
    RunLoop.current.perform {
      RunLoop.current.perform {}.when(.idle).forModes(.custom)
      while polls < 10, CFRunLoopRunInMode(RunLoop.Mode.custom.cf, 0, false) != .finished { polls += 1 }
    }.when(.nextLoopBegan)
    RunLoop.current.runPass()
    #expect(polls < 3)
  }
}
