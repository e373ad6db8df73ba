import Foundation
import RunLoopTasks
import Testing

/// Time that passes while `.idle` tasks run.
@Suite(.onOwnLoop) struct IdleTimeTests {
  let log = Log()
  private let queue = currentLoop().taskQueue

  @Test func idleTasksGiveWayToADelayThatEndsMeanwhile() {
    RunLoop.current.perform {
      log("1")
      keepBusy(for: .seconds(2_000))
    }.when(.idle)
    RunLoop.current.perform { log("2") }.when(.idle)
    RunLoop.current.perform { log("delayed") }.when(.currentLoopEnded).after(.seconds(1_000))
    run()
    #expect(log.events == ["1", "delayed", "2"])
  }

  /// The second task lets the package see that the time has come.
  @Test func noBudgetRemainsOnceADelayHasEnded() {
    RunLoop.current.perform {
      keepBusy(for: .seconds(2_000))
      RunLoop.current.perform {}.when(.idle)
      log("\(queue.remainingBudget == .zero)")
    }.when(.idle)
    RunLoop.current.perform {}.when(.currentLoopEnded).after(.seconds(1_000))
    RunLoop.current.runPass()
    #expect(log.events == ["true"])
  }

  @Test func theBudgetCountsIfItIsShorterThanTheTimeOfAnIdleTask() {
    queue.budget = .milliseconds(5)
    RunLoop.current.perform { log("\(queue.remainingBudget! <= .milliseconds(5))") }.when(.idle)
    RunLoop.current.runPass()
    #expect(log.events == ["true"])
  }
}
