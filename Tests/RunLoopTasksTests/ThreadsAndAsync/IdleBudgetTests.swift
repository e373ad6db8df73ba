import Foundation
import RunLoopTasks
import Testing

/// `RunLoopTaskQueue.remainingBudget` inside `.idle` tasks, and `remainingBudget(of:)`.
@Suite(.onOwnLoop) struct IdleBudgetTests {
  /// Evaluates `value` in a task, after `prepare` in the same pass.
  private func inTask<Value: Sendable>(
    _ timing: RunLoopTask.Timing = .idle, after prepare: @escaping @Sendable () -> Void = {},
    _ value: @escaping @Sendable (RunLoopTaskQueue) -> Value
  ) throws -> Value {
    try #require(
      onLoopThread {
        let (queue, found) = (RunLoop.current.taskQueue, Box<Value?>(nil))
        prepare()
        RunLoop.current.perform { found.value = value(queue) }.when(timing)
        RunLoop.current.runPass()
        return found.value
      })
  }

  private static func spin(for duration: Duration) {
    let start = ContinuousClock.now
    while .now < start + duration {}
  }

  // MARK: The next timer and 50 ms

  @Test func theBudgetOfAnIdleTaskIsFiftyMillisecondsAtMost() throws {
    for budget in [Duration?.none, .seconds(3_600)] {
      let left = try inTask(after: { RunLoop.current.taskQueue.budget = budget }) { $0.remainingBudget }
      #expect(left.map { $0 <= .milliseconds(50) } == true)
    }
  }

  /// The process may be stopped for a while, but not each time.
  @Test func theBudgetOfAnIdleTaskIsMoreThanZeroIfNothingIsDue() throws {
    let found = try (1...20).map { _ in try inTask(after: { addTimer(after: 1_000) }) { $0.remainingBudget } }
    #expect(found.contains { $0 ?? .zero > .milliseconds(1) })
  }

  @Test func theFiftyMillisecondsCountFromTheBeginningOfTheBatch() throws {
    let left = try inTask { queue in
      Self.spin(for: .milliseconds(51))
      return queue.remainingBudget
    }
    #expect(left == .zero)
  }

  @Test func theBudgetOfAnIdleTaskIsTheBudgetIfThatIsLess() throws {
    let left = try inTask(after: { RunLoop.current.taskQueue.budget = .milliseconds(1) }) { $0.remainingBudget }
    #expect(left.map { $0 <= .milliseconds(1) } == true)
  }

  @Test func theBudgetOfAnIdleTaskIsTheTimeUntilTheNextTimerOfTheMode() throws {
    let left = try inTask { queue in
      addTimer(after: 0.02)
      return queue.remainingBudget
    }
    #expect(left.map { $0 <= .milliseconds(20) } == true)
    let due = try inTask { queue in
      addTimer()
      return queue.remainingBudget
    }
    #expect(due == .zero)
    let ofAnotherMode = try (1...20).map { _ in
      try inTask { queue in
        addTimer(in: .custom)
        return queue.remainingBudget
      }
    }
    #expect(ofAnotherMode.contains { $0 != .zero })
  }

  @Test func theBudgetOfAnIdleTaskIsTheTimeUntilTheNextDelay() throws {
    let left = try inTask { queue in
      RunLoop.current.perform {}.after(.milliseconds(20))
      return queue.remainingBudget
    }
    #expect(left.map { $0 <= .milliseconds(20) } == true)
    let ended = try inTask { queue in
      RunLoop.current.perform {}.after(.seconds(1))
      RunLoop.current.advance(by: .seconds(1), mode: .custom)
      return queue.remainingBudget
    }
    #expect(ended == .zero)
  }

  /// The exit of the nested run makes the package's timer of the outer mode due.
  @Test func theTimerThatWakesTheLoopDoesNotCount() throws {
    let found = try (1...20).map { _ in
      try inTask(after: { runTaskAndEmptyPasses(forMode: .custom) }) { queue in
        let keepAlive = ModeHolder(.custom)
        poll(.custom)
        return withExtendedLifetime(keepAlive) { queue.remainingBudget }
      }
    }
    #expect(found.contains { $0 != .zero })
  }

  @Test func aNestedRunHasATimeOfItsOwn() throws {
    let found = try inTask { queue in
      let found = Box<[Duration?]>([])
      addTimer()
      for timing in [RunLoopTask.Timing.idle, .currentLoopEnded] {
        RunLoop.current.perform { found.add([queue.remainingBudget]) }.when(timing).forModes(.custom)
      }
      RunLoop.current.runPass(mode: .custom)
      found.add([queue.remainingBudget])
      return found.value
    }
    #expect(found.count == 3 && found[0] == nil && found[1] != nil && found[2] == .zero)
  }

  // MARK: A budget of one's own

  @Test func outsideTasksItIsTheWhole() {
    let queue = RunLoop.current.taskQueue
    queue.budget = .milliseconds(1)
    #expect(queue.remainingBudget(of: .seconds(9)) == .seconds(9))
    elsewhere { #expect(queue.remainingBudget(of: .seconds(9)) == .seconds(9)) }
    RunLoop.current.perform {
      elsewhere { #expect(queue.remainingBudget(of: .seconds(9)) == .seconds(9)) }
    }.when(.currentLoopEnded)
    RunLoop.current.runPass()
  }

  @Test func insideATaskItCountsFromTheBeginningOfTheBatch() throws {
    let left = try inTask(
      .currentLoopEnded,
      after: { RunLoop.current.perform { Self.spin(for: .milliseconds(2)) }.when(.currentLoopEnded) },
      { queue in [Duration.seconds(3_600), .milliseconds(1)].map { queue.remainingBudget(of: $0) } })
    #expect(left[0] > .seconds(1_800) && left[0] <= .seconds(3_600) - .milliseconds(2) && left[1] == .zero)
  }

  @Test(arguments: [RunLoopTask.Timing.idle, .currentLoopEnded])
  func theBudgetOfAnIdleTaskIsNeverMoreThanTheRemainingBudget(timing: RunLoopTask.Timing) throws {
    let left = try inTask(timing, after: { RunLoop.current.taskQueue.budget = .milliseconds(30) }) {
      $0.remainingBudget(of: .seconds(3_600))
    }
    #expect(left <= .milliseconds(30))
  }
}
