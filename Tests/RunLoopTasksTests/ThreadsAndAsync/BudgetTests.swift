import Foundation
import Testing

@testable import RunLoopTasks

/// `RunLoopTaskQueue.budget`: when the tasks of one activity exceed it.
@Suite(.onOwnLoop) struct BudgetTests {
  let log = Log()

  /// A budget that each task exceeds.
  private static let tiny = Duration.nanoseconds(1)

  @Test func theDefaultIsNil() {
    let queue = RunLoop.current.taskQueue
    #expect(queue.budget == nil)
    for budget in [Duration.milliseconds(4), .seconds(3)] {
      queue.budget = budget
      #expect(RunLoop.current.taskQueue.budget == budget)
    }
    queue.budget = nil
    #expect(queue.budget == nil)
  }

  @Test func anyDurationAboveZeroIsValid() {
    let queue = RunLoop.current.taskQueue
    for seconds in [Int64.max, Int64.max / 1_000_000_000] {
      queue.budget = Duration(secondsComponent: seconds, attosecondsComponent: 999_999_999_999_999_999)
      #expect(queue.budget! > .seconds(1_000_000_000))
    }
    queue.budget = Duration(secondsComponent: 0, attosecondsComponent: 1)
    #expect(queue.budget == .nanoseconds(1))
  }

  /// One task runs in each pass. A task that is scheduled meanwhile comes last.
  @Test(arguments: RunLoopTask.Timing.allCases)
  func theRemainingTasksStayFirstInLineForTheNextPass(timing: RunLoopTask.Timing) {
    keepAlive(.default)
    RunLoop.current.taskQueue.budget = Self.tiny
    observe(.afterWaiting) { _ in log("pass") }
    RunLoop.current.perform {
      log("1")
      RunLoop.current.perform {
        log("4")
        stopRun()
      }.when(timing)
    }.when(timing)
    RunLoop.current.perform { log("2") }.when(timing)
    RunLoop.current.perform { log("3") }.when(timing)
    run()
    let atWaking = ["pass", "1", "pass", "2", "pass", "3", "pass", "4"]
    #expect(log.events == (timing == .nextLoopBegan ? atWaking : Array(atWaking.dropFirst()) + ["pass"]))
  }

  /// A task that another thread has cancelled does not count as that task.
  @Test func atLeastOneTaskRunsAtEachActivity() {
    RunLoop.current.taskQueue.budget = Self.tiny
    let cancelled = RunLoop.current.perform { log("cancelled") }.when(.currentLoopEnded)
    RunLoop.current.perform { log("1") }.when(.currentLoopEnded)
    observe(.beforeWaiting, order: Order.app) { _ in
      #expect(cancelled.leavePending(for: .cancelled, onLoopThread: true))
    }
    RunLoop.current.runPass()
    #expect(log.events == ["1"])
  }

  @Test func eachActivityHasTheWholeBudget() {
    RunLoop.current.taskQueue.budget = Self.tiny
    for timing in [RunLoopTask.Timing.currentLoopEnded, .nextLoopBegan, .idle] {
      RunLoop.current.perform { log("\(timing)") }.when(timing)
    }
    RunLoop.current.runPass()
    #expect(log.events == ["currentLoopEnded", "nextLoopBegan", "idle"])
  }
}
