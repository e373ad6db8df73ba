import Foundation
import RunLoopTasks
import Testing

/// The turns of timers and sources while a `budget` delays tasks, or `.idle` tasks give way.
@Suite(.onOwnLoop) struct BudgetFairnessTests {
  let log = Log()

  /// A budget that each task exceeds.
  private static let tiny = Duration.nanoseconds(1)

  /// The tasks take longer than the timer's interval, so the timer is due in every pass. If the package is first used
  /// inside a run, it does not know whether that run is nested. It then wakes the loop by other means than a timer, and
  /// timers have their turn in every second pass at least.
  @Test(
    arguments: [
      (.nextLoopBegan, true, tiny), (.currentLoopEnded, true, tiny), (.currentLoopEnded, false, tiny),
      (.idle, true, tiny), (.idle, false, tiny), (.idle, false, nil),
    ] as [(RunLoopTask.Timing, Bool, Duration?)], [false, true])
  func aTimerAndASourceHaveTheirTurnsBetweenPasses(
    _ arguments: (timing: RunLoopTask.Timing, hasSource: Bool, budget: Duration?), isFirstUseInsideTheRun: Bool
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
    let gapsWithoutATimer = between.enumerated().filter { !$0.element.contains("timer") }.map(\.offset)
    let most = isFirstUseInsideTheRun ? between.count / 2 + 1 : Self.mostGapsWithoutATimer(of: between.count)
    #expect(gapsWithoutATimer.count <= most, "gaps \(gapsWithoutATimer)")
  }

  /// On Apple's platforms a kernel thread sends the message of a due timer, so the message may arrive a pass late.
  private static func mostGapsWithoutATimer(of gaps: Int) -> Int {
    #if canImport(Darwin)
      gaps / 2
    #else
      0
    #endif
  }
}
