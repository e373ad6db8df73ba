import Foundation
import RunLoopTasks
import Testing

/// A `budget` that changes while tasks run.
@Suite(.onOwnLoop) struct BudgetChangeTests {
  let log = Log()

  /// A budget that each task exceeds.
  private static let tiny = Duration.nanoseconds(1)

  @Test func aBudgetSetByATaskCountsFromTheNextActivity() {
    let queue = RunLoop.current.taskQueue
    observe(.afterWaiting) { _ in log("pass") }
    RunLoop.current.perform {
      log("sets")
      queue.budget = Self.tiny
    }.when(.currentLoopEnded)
    for number in 1...2 {
      RunLoop.current.perform {
        log("\(number)")
        RunLoop.current.perform { log("\(number + 2)") }.when(.currentLoopEnded)
      }.when(.currentLoopEnded)
    }
    run()
    #expect(log.events.prefix(6) == ["sets", "1", "2", "pass", "3", "pass"])
    #expect(log.events.filter { $0 != "pass" } == ["sets", "1", "2", "3", "4"])
  }

  @Test func aBudgetLoweredByATaskCountsFromTheNextActivity() {
    let queue = RunLoop.current.taskQueue
    queue.budget = .seconds(3600)
    observe(.afterWaiting) { _ in log("pass") }
    for budget in [nil, Self.tiny] as [Duration?] {
      RunLoop.current.perform {
        log("sets")
        queue.budget = budget
      }.when(.currentLoopEnded)
    }
    for number in 1...2 { RunLoop.current.perform { log("\(number)") }.when(.currentLoopEnded) }
    run()
    #expect(log.events.prefix(5) == ["sets", "sets", "1", "2", "pass"])
  }

  @Test func aBudgetRemovedByATaskCountsUntilTheNextActivity() {
    let queue = RunLoop.current.taskQueue
    queue.budget = Self.tiny
    observe(.afterWaiting) { _ in log("pass") }
    RunLoop.current.perform { log("1") }.when(.currentLoopEnded)
    RunLoop.current.perform {
      log("removes")
      elsewhere { queue.budget = nil }
    }.when(.currentLoopEnded)
    for number in 2...3 { RunLoop.current.perform { log("\(number)") }.when(.currentLoopEnded) }
    run()
    #expect(log.events == ["1", "pass", "removes", "pass", "2", "3", "pass"])
  }
}
