import Foundation
import RunLoopTasks
import Testing

/// `RunLoopTaskQueue.remainingBudget`, and `remainingBudget(of:)`.
@Suite(.onOwnLoop) struct RemainingBudgetTests {
  let queue = RunLoop.current.taskQueue

  /// Evaluates `value` in a task of a new loop, after `prepare` in the same pass.
  private func inTask<Value: Sendable>(
    _ timing: RunLoopTask.Timing = .nextLoopBegan, budget: Duration? = nil,
    after prepare: @escaping @Sendable () -> Void = {}, _ value: @escaping @Sendable (RunLoopTaskQueue) -> Value
  ) throws -> Value {
    try #require(
      onLoopThread {
        let (queue, found) = (RunLoop.current.taskQueue, Box<Value?>(nil))
        queue.budget = budget
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

  @Test func theRemainingBudgetIsTheBudgetAndDecreasesWhileTasksRun() {
    let found = Box<[Duration]>([])
    queue.budget = .seconds(3_600)
    for _ in 1...3 {
      RunLoop.current.perform {
        found.add([queue.remainingBudget ?? .zero])
        Self.spin(for: .milliseconds(1))
      }.when(.currentLoopEnded)
    }
    RunLoop.current.runPass()
    #expect(found.value.count == 3 && found.value[0] <= .seconds(3_600) && found.value[2] > .seconds(1))
    #expect(zip(found.value, found.value.dropFirst()).allSatisfy { $0 - $1 >= .milliseconds(1) })
  }

  @Test func theRemainingBudgetIsNeverBelowZero() throws {
    let left = try inTask(budget: .nanoseconds(1)) { queue in
      Self.spin(for: .milliseconds(1))
      return queue.remainingBudget
    }
    #expect(left == .zero)
  }

  @Test(arguments: [RunLoopTask.Timing.nextLoopBegan, .currentLoopEnded])
  func withoutABudgetTheRemainingBudgetIsNilInTasksThatAreNotIdle(timing: RunLoopTask.Timing) {
    keepAlive(.default)
    // At `exit` they are in one batch.
    RunLoop.current.perform { #expect(queue.remainingBudget != nil) }.when(.idle)
    RunLoop.current.perform { #expect(queue.remainingBudget == nil) }.when(timing)
    for _ in 1...2 { poll() }
    #expect(queue.count == 0)
  }

  @Test func outsideTasksTheRemainingBudgetIsNil() {
    queue.budget = .seconds(3_600)
    #expect(queue.remainingBudget == nil)
    for order in [Order.first, Order.last] {
      observe(.ofPass, order: order) { _ in #expect(queue.remainingBudget == nil) }
    }
    addSource { _, _ in #expect(queue.remainingBudget == nil) }.send(0)
    for timing in RunLoopTask.Timing.allCases { RunLoop.current.perform {}.when(timing) }
    RunLoop.current.runPass()
    #expect(queue.remainingBudget == nil)
  }

  /// A task runs while another thread, or a task of another loop, reads the value.
  @Test func onAnotherThreadTheRemainingBudgetIsNil() throws {
    let left = try inTask(budget: .seconds(3_600)) { queue in onLoopThread { queue.remainingBudget } }
    #expect(left == nil)
    queue.budget = .seconds(3_600)
    let ofAnotherLoop = try inTask(budget: .seconds(3_600)) { [queue] _ in queue.remainingBudget }
    #expect(ofAnotherLoop == nil)
  }

  /// The outer task still has its own budget after the nested run.
  @Test func aChangedBudgetCountsFromTheNextActivityAlsoOfANestedRun() throws {
    let found = Box<[Duration?]>([])
    queue.budget = .seconds(1_000)
    RunLoop.current.perform {
      queue.budget = .seconds(3_600)
      RunLoop.current.perform { found.add([queue.remainingBudget]) }.when(.nextLoopBegan)
      RunLoop.current.runPass()
      found.add([queue.remainingBudget])
    }.when(.nextLoopBegan)
    RunLoop.current.runPass()
    try #require(found.value.count == 2)
    #expect((found.value[0] ?? .zero) > .seconds(1_800) && (found.value[1] ?? .seconds(2_000)) <= .seconds(1_000))
  }

  // MARK: idle tasks

  enum Bound: CaseIterable {
    case fiftyMilliseconds, largeBudget, smallBudget, nextTimer, dueTimer, nextDelay, endedDelay, spentTime

    var milliseconds: Int {
      switch self {
      case .fiftyMilliseconds, .largeBudget: 50
      case .smallBudget: 1
      case .nextTimer, .nextDelay: 20
      case .dueTimer, .endedDelay, .spentTime: 0
      }
    }
  }

  @Test(arguments: Bound.allCases) func theBudgetOfAnIdleTaskIsAtMost(_ bound: Bound) throws {
    let budget: Duration? = bound == .largeBudget ? .seconds(3_600) : bound == .smallBudget ? .milliseconds(1) : nil
    let left = try inTask(.idle, budget: budget) { queue in
      switch bound {
      case .fiftyMilliseconds, .largeBudget, .smallBudget: break
      case .nextTimer: addTimer(after: 0.02)
      case .dueTimer: addTimer()
      case .nextDelay: RunLoop.current.perform {}.after(.milliseconds(20))
      case .endedDelay:
        RunLoop.current.perform {}.after(.seconds(1))
        RunLoop.current.advance(by: .seconds(1), mode: .custom)
      case .spentTime: Self.spin(for: .milliseconds(51))  // since the beginning of the batch
      }
      return queue.remainingBudget
    }
    #expect(left.map { (.zero ... .milliseconds(bound.milliseconds)).contains($0) } == true)
  }

  enum OtherTimer: CaseIterable { case notDue, ofAnotherMode, thatWakesTheLoop }

  /// The process may be stopped for a while, but not each time.
  @Test(arguments: OtherTimer.allCases)
  func theBudgetOfAnIdleTaskIsMoreThanZeroBesideATimer(_ timer: OtherTimer) throws {
    let found = try (1...20).map { _ in
      try inTask(.idle, after: { if timer == .thatWakesTheLoop { runTaskAndEmptyPasses(forMode: .custom) } }) { queue in
        switch timer {
        case .notDue: addTimer(after: 1_000)
        case .ofAnotherMode: addTimer(in: .custom)
        case .thatWakesTheLoop:  // The exit of the nested run makes the package's timer of the outer mode due.
          keepAlive(.custom)
          poll(.custom)
        }
        return queue.remainingBudget
      }
    }
    #expect(found.contains { $0 ?? .zero > .milliseconds(1) })
  }

  @Test func aRunNestedInAnIdleTaskHasATimeOfItsOwn() throws {
    let found = try inTask(.idle) { queue in
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

  // MARK: a budget of one's own

  @Test func outsideTasksABudgetOfOnesOwnIsWhole() {
    queue.budget = .milliseconds(1)
    @Sendable func check() { #expect(queue.remainingBudget(of: .seconds(9)) == .seconds(9)) }
    check()
    elsewhere { check() }
    RunLoop.current.perform { elsewhere { check() } }.when(.currentLoopEnded)
    RunLoop.current.runPass()
  }

  @Test func insideATaskABudgetOfOnesOwnCountsFromTheBeginningOfTheBatch() throws {
    let left = try inTask(
      .currentLoopEnded,
      after: { RunLoop.current.perform { Self.spin(for: .milliseconds(2)) }.when(.currentLoopEnded) },
      { queue in [Duration.seconds(3_600), .milliseconds(1)].map { queue.remainingBudget(of: $0) } })
    #expect(left[0] > .seconds(1_800) && left[0] <= .seconds(3_600) - .milliseconds(2) && left[1] == .zero)
  }

  @Test(arguments: [RunLoopTask.Timing.idle, .currentLoopEnded])
  func aBudgetOfOnesOwnIsNeverMoreThanTheRemainingBudget(timing: RunLoopTask.Timing) throws {
    let left = try inTask(timing, budget: .milliseconds(30)) { $0.remainingBudget(of: .seconds(3_600)) }
    #expect(left <= .milliseconds(30))
  }
}
