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

  @Test(arguments: [true, false]) func aRunReturnsIfABlockCancelsItsLastTask(isScheduledBefore: Bool) {
    let task = isScheduledBefore ? RunLoop.current.perform { log("task") }.when(.idle) : nil
    // A block of Foundation runs before the loop would sleep.
    RunLoop.current.perform { (task ?? RunLoop.current.perform { log("task") }.when(.idle)).cancel() }
    run()
    #expect(log.events == [])
  }

  /// The observer cancels the task after CoreFoundation has found the mode not empty.
  @Test func aRunReturnsIfTheFirstObserverOfAPassCancelsItsLastTask() {
    let task = Box<RunLoopTask?>(nil)
    let observer = RunLoop.current.observe(.beforeTimers, forModes: [.default], order: .min) { _ in
      if log.events == ["first"], task.value?.cancel() == true { log("cancelled") }
    }
    RunLoop.current.perform { log("first") }.when(.currentLoopEnded)
    task.value = RunLoop.current.perform { log("idle") }.when(.idle)
    run()
    withExtendedLifetime(observer) {}
    #expect(log.events == ["first", "cancelled"])
  }

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

  @Test(arguments: [RunLoop.Activity.entry, .beforeWaiting, .afterWaiting], [Change.cancel, .cancelAll])
  func aRunReturnsIfAnotherThreadCancelsItsOnlyTask(activity: RunLoop.Activity, change: Change) {
    let queue = RunLoop.current.taskQueue
    RunLoop.current.perform {}.when(.idle)  // without a task there is no run
    observeOnce(activity, order: Order.frame) {
      elsewhere {
        let task = queue.perform {}
        if change == .cancel { task.cancel() } else { queue.cancelAll() }
      }
    }
    run()
  }

  /// A nested run consumes the wake-up of the message.
  @Test(arguments: [2, 5]) func aRunReturnsAfterAMessageThatANestedRunRead(pass: Int) {
    let queue = RunLoop.current.taskQueue
    let source = Source {}
    keepAlive(.custom)
    for mode in [RunLoop.Mode.default, .custom] { queue.perform(when: .currentLoopEnded, forModes: [mode]) {} }
    observeNumbered(.beforeWaiting, order: Order.app) { number in
      if number < pass { queue.perform(when: .currentLoopEnded) {} }
      guard number == pass else { return }
      elsewhere {
        queue.perform {}
        queue.cancelAll()
      }
      source.remove()
      RunLoop.current.runPass(mode: .custom)
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
