import Foundation
import RunLoopTasks
import Testing

/// `RunLoopTaskQueue.budget`: once the tasks of one activity exceed it, the rest wait for the next pass.
@Suite(.onOwnLoop) struct BudgetTests {
  let log = Log()
  let queue = RunLoop.current.taskQueue

  /// A budget that each task exceeds.
  private static let tiny = Duration.nanoseconds(1)

  @Test func theDefaultIsNil() {
    #expect(queue.budget == nil)
    for budget in [Duration.milliseconds(4), .seconds(3), nil] {
      queue.budget = budget
      #expect(RunLoop.current.taskQueue.budget == budget)
    }
    queue.budget = .seconds(Int64.max)  // more nanoseconds than fit
    #expect(queue.budget != nil)
  }

  /// One task runs in each pass. A task that is scheduled meanwhile comes last.
  @Test(arguments: RunLoopTask.Timing.allCases)
  func theRemainingTasksStayFirstInLineForTheNextPass(timing: RunLoopTask.Timing) {
    keepAlive(.default)
    queue.budget = Self.tiny
    let passes = Counter()
    observe(.afterWaiting) { _ in if passes.count() > 0, log.events.last != "pass" { log("pass") } }
    RunLoop.current.perform {
      log("1")
      RunLoop.current.perform { log.andStop("4") }.when(timing)
    }.when(timing)
    RunLoop.current.perform { log("2") }.when(timing)
    RunLoop.current.perform { log("3") }.when(timing)
    run()
    let atWaking = ["pass", "1", "pass", "2", "pass", "3", "pass", "4"]
    #expect(log.events == (timing == .nextLoopBegan ? atWaking : Array(atWaking.dropFirst()) + ["pass"]))
    #expect(passes.value <= 5)  // four, and one more if the thread was held up
  }

  /// The tasks take longer than the timer's interval, so the timer is due in every pass. If the package is first used
  /// inside a run, it does not know whether that run is nested. It then wakes the loop by other means than a timer, and
  /// timers have their turn in every second pass at least.
  @Test(
    arguments: [
      (.nextLoopBegan, true, tiny), (.currentLoopEnded, true, tiny), (.currentLoopEnded, false, tiny),
      (.idle, true, tiny), (.idle, false, tiny),
    ] as [(RunLoopTask.Timing, Bool, Duration)], [false, true])
  func aTimerAndASourceHaveTheirTurnsBetweenPasses(
    _ arguments: (timing: RunLoopTask.Timing, hasSource: Bool, budget: Duration), isFirstUseInsideTheRun: Bool
  ) {
    let (timing, hasSource, budget) = arguments
    let tasks = 200
    let timer = Timer(fire: Date(), interval: 0.0001, repeats: true) { _ in log("timer") }
    RunLoop.current.add(timer, forMode: .default)
    let source = hasSource ? Source { log("source") } : nil
    func schedule() {
      RunLoop.current.taskQueue.budget = budget
      for number in 1...tasks {
        RunLoop.current.perform {
          log("task")
          source?.signal()
          Thread.sleep(forTimeInterval: 0.0002)
          if number == tasks { stopRun() }
        }.when(timing)
      }
    }
    if isFirstUseInsideTheRun { observeOnce(.beforeTimers, order: Order.app) { schedule() } } else { schedule() }
    run()
    timer.invalidate()
    let between = log.events.split(separator: "task", omittingEmptySubsequences: false).dropFirst().dropLast()
    #expect(between.count == tasks - 1)
    #expect(between.allSatisfy { $0.contains("source") == hasSource })
    let most = isFirstUseInsideTheRun ? between.count / 2 + 1 : mostGapsWithoutATimer(of: between.count)
    #expect(between.filter { !$0.contains("timer") }.count <= most)
  }
}
