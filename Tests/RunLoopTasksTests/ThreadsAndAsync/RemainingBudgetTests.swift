import Foundation
import RunLoopTasks
import Testing

/// `RunLoopTaskQueue.remainingBudget`.
@Suite(.onOwnLoop) struct RemainingBudgetTests {
  let queue = RunLoop.current.taskQueue

  @Test func theRemainingBudgetIsTheBudgetAndDecreasesWhileTasksRun() {
    let found = Box<[Duration]>([])
    queue.budget = .seconds(3_600)
    for _ in 1...3 {
      RunLoop.current.perform {
        found.add([queue.remainingBudget ?? .zero])
        spin(for: .milliseconds(1))
      }.when(.currentLoopEnded)
    }
    RunLoop.current.runPass()
    #expect(found.value.count == 3 && found.value[0] <= .seconds(3_600) && found.value[2] > .seconds(1))
    #expect(zip(found.value, found.value.dropFirst()).allSatisfy { $0 - $1 >= .milliseconds(1) })
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

  /// It is due at any activity, and no longer in a slice.
  @Test func inAnIdleTaskWhoseLimitHasExpiredTheRemainingBudgetIsNil() {
    keepAlive(.default)
    RunLoop.current.perform { #expect(queue.remainingBudget != nil) }.when(.idle)
    RunLoop.current.perform { #expect(queue.remainingBudget == nil) }.when(.idle).within(.zero)
    poll()
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

  /// Another thread reads it, a task of another loop, and a task out of its turn, after which the caller has its own
  /// again.
  @Test func elsewhereAndInRunNowTheRemainingBudgetIsNil() {
    queue.budget = .seconds(3_600)
    let isNil = Box<[Bool]>([])
    let look = { @Sendable in isNil.add([queue.remainingBudget == nil]) }
    let saving = RunLoop.current.perform(when: .idle, look)
    RunLoop.current.perform {
      elsewhere {
        look()
        RunLoop.current.taskQueue.budget = .seconds(3_600)
        RunLoop.current.perform(when: .currentLoopEnded, look)
        RunLoop.current.runPass()
      }
      saving.runNow()
      look()
    }.when(.currentLoopEnded)
    RunLoop.current.runPass()
    #expect(isNil.value == [true, true, true, false])
  }

  @Test func aHugeBudgetIsOne() {
    queue.budget = .seconds(Int64.max)
    RunLoop.current.perform { #expect(queue.remainingBudget ?? .zero > .seconds(1e9)) }.when(.idle)
    #expect(RunLoop.current.runPass())
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

  /// What is left for an idle task of a run that is not driven.
  private func leftInIdleTask(afterSpinning duration: Duration = .zero) -> Duration?? {
    let found = Box<Duration??>(nil)
    RunLoop.current.perform {
      spin(for: duration)
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

  @Test func inADrivenPassAnIdleTaskHasNoEnd() {
    RunLoop.current.perform { #expect(queue.remainingBudget == nil) }.when(.idle)
    #expect(RunLoop.current.runPass())
  }

  @Test func aRunNestedInAnIdleTaskHasATimeOfItsOwn() {
    let found = Box<[Duration?]>([])
    RunLoop.current.perform {
      spin(for: .milliseconds(5))
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
