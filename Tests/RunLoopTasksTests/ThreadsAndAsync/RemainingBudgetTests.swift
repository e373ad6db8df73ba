import Foundation
import RunLoopTasks
import Testing

/// `RunLoopTaskQueue.remainingBudget`.
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

  /// The task that makes the call has its own budget again afterwards.
  @Test func inRunNowTheRemainingBudgetIsNil() {
    queue.budget = .seconds(3_600)
    let isNil = Box<[Bool]>([])
    let saving = RunLoop.current.perform { isNil.add([queue.remainingBudget == nil]) }.when(.idle)
    RunLoop.current.perform {
      saving.runNow()
      isNil.add([queue.remainingBudget == nil])
    }.when(.currentLoopEnded)
    RunLoop.current.runPass()
    #expect(isNil.value == [true, false])
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

  /// What is left for an idle task of a run that is not driven.
  private func leftInIdleTask(afterSpinning duration: Duration = .zero) -> Duration?? {
    let found = Box<Duration??>(nil)
    RunLoop.current.perform {
      Self.spin(for: duration)
      found.value = .some(queue.remainingBudget)
    }.when(.idle)
    run()
    return found.value
  }

  @Test func anIdleTaskHasWhatIsLeftOfItsSlice() throws {
    // The process may be stopped for a while, but not each time.
    let found = (1...20).map { _ in leftInIdleTask() }
    #expect(found.allSatisfy { ($0 ?? nil).map { (.zero ... .milliseconds(4)).contains($0) } == true })
    #expect(found.contains { ($0 ?? nil) ?? .zero > .milliseconds(1) })
    #expect(leftInIdleTask(afterSpinning: .milliseconds(5)) == .zero)
  }

  @Test func inADrivenPassAnIdleTaskHasNoEnd() throws {
    #expect(try inTask(.idle) { $0.remainingBudget } == nil)
  }

  @Test func aRunNestedInAnIdleTaskHasATimeOfItsOwn() {
    let found = Box<[Duration?]>([])
    RunLoop.current.perform {
      Self.spin(for: .milliseconds(5))
      for timing in [RunLoopTask.Timing.idle, .currentLoopEnded] {
        RunLoop.current.perform { found.add([queue.remainingBudget]) }.when(timing).forModes(.custom)
      }
      run(.custom)
      found.add([queue.remainingBudget])
    }.when(.idle)
    run()
    #expect(found.value.count == 3 && found.value[0] == nil && found.value[1] != nil && found.value[2] == .zero)
  }
}
