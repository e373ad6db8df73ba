import Foundation
import RunLoopTasks
import Testing

/// `RunLoopTaskQueue.remainingBudget`.
@Suite(.onOwnLoop) struct RemainingBudgetTests {
  /// Evaluates `value` in a task of a loop with the budget.
  private func remaining(with budget: Duration?, _ value: @escaping @Sendable (RunLoopTaskQueue) -> Duration?)
    -> Duration?
  {
    onLoopThread {
      let (queue, found) = (RunLoop.current.taskQueue, Box<Duration?>(nil))
      queue.budget = budget
      RunLoop.current.perform { found.value = value(queue) }.when(.nextLoopBegan)
      RunLoop.current.runPass()
      return found.value
    }
  }

  @Test func insideATaskItIsAtMostTheBudget() throws {
    let left = try #require(remaining(with: .seconds(3_600)) { $0.remainingBudget })
    #expect(left > .seconds(1) && left <= .seconds(3_600))
  }

  @Test func theRemainingBudgetDecreasesWhileTasksRun() {
    let (queue, found) = (RunLoop.current.taskQueue, Box<[Duration]>([]))
    queue.budget = .seconds(3_600)
    for _ in 1...3 {
      RunLoop.current.perform {
        found.add([queue.remainingBudget ?? .zero])
        let start = SuspendingClock.now
        while start.duration(to: .now) < .milliseconds(1) {}
      }.when(.currentLoopEnded)
    }
    RunLoop.current.runPass()
    let differences = zip(found.value, found.value.dropFirst()).map { $0 - $1 }
    #expect(differences.count == 2 && differences.allSatisfy { $0 >= .milliseconds(1) })
  }

  @Test func theRemainingBudgetIsNeverBelowZero() {
    let left = remaining(with: .nanoseconds(1)) { queue in
      let start = SuspendingClock.now
      while start.duration(to: .now) < .milliseconds(1) {}
      return queue.remainingBudget
    }
    #expect(left == .zero)
  }

  @Test(arguments: [RunLoopTask.Timing.nextLoopBegan, .currentLoopEnded])
  func withoutABudgetTheRemainingBudgetIsNilInTasksThatAreNotIdle(timing: RunLoopTask.Timing) {
    let queue = RunLoop.current.taskQueue
    keepAlive(.default)
    // At `exit` they are in one batch.
    RunLoop.current.perform { #expect(queue.remainingBudget != nil) }.when(.idle)
    RunLoop.current.perform { #expect(queue.remainingBudget == nil) }.when(timing)
    for _ in 1...2 { poll() }
    #expect(queue.count == 0)
  }

  @Test func outsideTasksItIsNil() {
    let queue = RunLoop.current.taskQueue
    queue.budget = .seconds(3_600)
    #expect(queue.remainingBudget == nil)
    observe(.ofPass, order: Order.first) { _ in #expect(queue.remainingBudget == nil) }
    observe(.ofPass, order: Order.last) { _ in #expect(queue.remainingBudget == nil) }
    let source = Source { #expect(queue.remainingBudget == nil) }
    source.signal()
    for timing in RunLoopTask.Timing.allCases { RunLoop.current.perform {}.when(timing) }
    RunLoop.current.runPass()
    #expect(queue.remainingBudget == nil)
    source.remove()
  }

  /// A task runs while another thread, or a task of another loop, reads the value.
  @Test func onAnotherThreadTheRemainingBudgetIsNil() {
    let left = remaining(with: .seconds(3_600)) { queue in onLoopThread { queue.remainingBudget } }
    #expect(left == nil)
    let ofAnotherLoop = onLoopThread {
      let other = RunLoop.current.taskQueue
      other.budget = .seconds(3_600)
      return remaining(with: .seconds(3_600)) { _ in other.remainingBudget }
    }
    #expect(ofAnotherLoop == nil)
  }

  /// The outer task still has its own budget after the nested run.
  @Test func aNestedRunHasABudgetOfItsOwn() throws {
    let (queue, found) = (RunLoop.current.taskQueue, Box<[Duration?]>([]))
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

  @Test func aChangedBudgetCountsFromTheNextActivity() throws {
    let (queue, found) = (RunLoop.current.taskQueue, Box<[Duration?]>([]))
    for (index, budget) in [Duration.seconds(3_600), .seconds(1_000), nil].enumerated() {
      let timing: RunLoopTask.Timing = index == 0 ? .currentLoopEnded : index == 1 ? .nextLoopBegan : .idle
      RunLoop.current.perform {
        found.add([queue.remainingBudget])
        queue.budget = budget
        found.add([queue.remainingBudget])
      }.when(timing)
    }
    RunLoop.current.runPass()
    try #require(found.value.count == 6)
    #expect(found.value[0] == nil && found.value[1] == nil)
    #expect((found.value[2] ?? .zero) > .seconds(1_800) && (found.value[3] ?? .zero) > .seconds(1_800))
    #expect((found.value[4] ?? .seconds(2_000)) <= .seconds(1_000) && found.value[5] != nil)
  }
}
