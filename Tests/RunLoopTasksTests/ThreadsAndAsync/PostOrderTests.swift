import Foundation
import RunLoopTasks
import Testing

/// The places in line of what other threads send while the loop is busy. The order is that of the times at which the
/// tasks were sent or their delays ended.
@Suite(.onOwnLoop) struct PostOrderTests {
  let log = Log()
  let queue = RunLoop.current.taskQueue

  @Test func delaysThatEndUnreadEndInTheirOrder() {
    elsewhere {
      for seconds in [2_000, 500] { queue.perform(after: .seconds(seconds)) { log("\(seconds)") } }
      queue.perform { log("none") }
    }
    keepBusy(for: .seconds(3_000))
    RunLoop.current.runPass()
    #expect(log.events == ["none", "500", "2000"])
  }

  @Test func aDelayOfTheLoopsOwnTaskEndsBetweenTwoTasksThatOthersSend() {
    RunLoop.current.perform { log("own") }.after(.seconds(1_000))
    keepBusy(for: .seconds(500))
    elsewhere { queue.perform { log("before") } }
    keepBusy(for: .seconds(1_000))
    elsewhere { queue.perform { log("after") } }
    RunLoop.current.runPass()
    #expect(log.events == ["before", "own", "after"])
  }

  /// All are overdue in the end, so they are due at the same activity.
  @Test func aLimitThatPassesUnreadGivesAPlace() {
    elsewhere {
      queue.perform(after: .seconds(3_000), within: .seconds(1_000)) { log("limit 1000") }
      queue.perform(after: .seconds(2_000), within: .seconds(4_000)) { log("2000") }
      queue.perform(after: .seconds(500), within: .seconds(4_000)) { log("500") }
      queue.perform(after: .seconds(3_000), within: .seconds(1_500)) { log("limit 1500") }
    }
    keepBusy(for: .seconds(5_000))
    RunLoop.current.runPass()
    #expect(log.events == ["500", "limit 1000", "limit 1500", "2000"])
  }
}
