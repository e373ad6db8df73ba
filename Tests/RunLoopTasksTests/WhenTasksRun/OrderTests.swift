import Foundation
import RunLoopTasks
import Testing

/// The order of tasks with `order(_:)`.
@Suite(.onOwnLoop) struct OrderTests {
  let log = Log()

  /// The cancelled tasks of several modes are the last of those that are kept in an array.
  @Test func aTaskAmendedIntoABatchAfterACancellationRunsInItsPlace() {
    let loop = RunLoop.current
    var others: [RunLoopTask] = []
    let amended = loop.perform { log("amended") }.when(.idle).forModes(.default, .custom)
    loop.perform {
      for _ in 0..<2 { others.append(loop.perform {}.when(.currentLoopEnded).forModes(.default, .custom)) }
    }.when(.currentLoopEnded)
    loop.perform {
      for task in others.reversed() { task.cancel() }
      amended.when(.currentLoopEnded)
    }.when(.currentLoopEnded)
    loop.perform { log("last") }.when(.currentLoopEnded)
    loop.runUntilTasksFinish()
    #expect(log.events == ["amended", "last"])
  }

  @Test(arguments: Form.allCases, RunLoopTask.Timing.allCases)
  func lowerOrdersComeFirst(_ form: Form, timing: RunLoopTask.Timing) {
    for order in [3, 0, -2, Int.max, Int.min, 1, -1] {
      form.perform(when: timing, order: order) { log("\(order)") }
    }
    RunLoop.current.runPass()
    #expect(log.events == [Int.min, -2, -1, 0, 1, 3, Int.max].map { "\($0)" })
  }

  @Test(arguments: Form.allCases) func equalOrdersAreFirstInFirstOut(_ form: Form) {
    for number in 1...4 {
      for order in [1, -1] { form.perform(when: .currentLoopEnded, order: order) { log("\(order):\(number)") } }
    }
    RunLoop.current.runPass()
    #expect(log.events == (1...4).map { "-1:\($0)" } + (1...4).map { "1:\($0)" })
  }

  @Test func theDefaultOrderIsZero() {
    RunLoop.current.perform { log("1") }.when(.currentLoopEnded).order(1)
    RunLoop.current.perform { log("first of zero") }.when(.currentLoopEnded)
    RunLoop.current.perform { log("second of zero") }.when(.currentLoopEnded).order(0)
    RunLoop.current.perform { log("-1") }.when(.currentLoopEnded).order(-1)
    RunLoop.current.runPass()
    #expect(log.events == ["-1", "first of zero", "second of zero", "1"])
  }

  @Test func orderCountsAcrossModes() {
    RunLoop.current.perform { log("default") }.when(.currentLoopEnded).order(2)
    RunLoop.current.perform { log("several") }.when(.currentLoopEnded).order(1).forModes(.default, .custom)
    RunLoop.current.perform { log("common") }.when(.currentLoopEnded).order(-1).forModes(.common)
    RunLoop.current.perform { log("zero") }.when(.currentLoopEnded)
    RunLoop.current.runPass()
    #expect(log.events == ["common", "zero", "several", "default"])
  }

  /// Tasks of two timings are due at the exit of a run.
  @Test func orderCountsAcrossTimingsThatAreDueAtOneActivity() {
    observe(.exit) { _ in
      RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
      RunLoop.current.perform { log("idle") }.when(.idle).order(-1)
    }
    RunLoop.current.perform {}.when(.currentLoopEnded)
    RunLoop.current.runPass()
    #expect(log.events == ["idle", "ended"])
  }

  @Test func orderDoesNotChangeTheActivityAtWhichATaskRuns() {
    RunLoop.current.perform { log("idle") }.when(.idle).order(-3)
    RunLoop.current.perform { log("began") }.when(.nextLoopBegan).order(-2)
    RunLoop.current.perform { log("ended") }.when(.currentLoopEnded).order(9)
    RunLoop.current.runPass()
    #expect(log.events == ["ended", "began", "idle"])
  }

  @Test(arguments: [true, false]) func aSecondCallMovesTheTask(onOwnThread: Bool) {
    RunLoop.current.perform { log("1") }.when(.currentLoopEnded)
    let task = RunLoop.current.perform { log("2") }.when(.currentLoopEnded).order(-1)
    RunLoop.current.perform { log("3") }.when(.currentLoopEnded)
    if onOwnThread { task.order(1) } else { elsewhere { task.order(1) } }
    RunLoop.current.runPass()
    log("pass")
    #expect(log.events == ["1", "3", "2", "pass"])
  }

  @Test func aTaskWhoseOrderIsTakenBackHasItsFirstPlaceAgain() {
    let task = RunLoop.current.perform { log("1") }.when(.currentLoopEnded).order(5)
    RunLoop.current.perform { log("2") }.when(.currentLoopEnded)
    task.order(0)
    RunLoop.current.runPass()
    #expect(log.events == ["1", "2"])
  }

  @Test func aTaskOfABatchCanBeMovedWithinIt() {
    let last = Box<RunLoopTask?>(nil)
    RunLoop.current.perform {
      log("1")
      last.value!.order(-1)
    }.when(.currentLoopEnded)
    RunLoop.current.perform { log("2") }.when(.currentLoopEnded)
    last.value = RunLoop.current.perform { log("3") }.when(.currentLoopEnded)
    observe(.afterWaiting) { _ in log("pass") }
    RunLoop.current.runPass()
    #expect(log.events == ["1", "3", "2", "pass"])
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func aTaskScheduledByATaskWaitsForTheNextActivityWhateverItsOrder(timing: RunLoopTask.Timing) {
    RunLoop.current.perform {
      log("1")
      RunLoop.current.perform { log("of 1") }.when(timing).order(.min)
    }.when(timing)
    RunLoop.current.perform { log("2") }.when(timing)
    RunLoop.current.runPass()
    log("pass")
    RunLoop.current.runPass()
    // The exit of the pass is the next activity for a task that is scheduled at `beforeWaiting`.
    let expected = timing == .nextLoopBegan ? ["1", "2", "pass", "of 1"] : ["1", "2", "of 1", "pass"]
    #expect(log.events == expected)
  }

  @Test func aTaskThatHasStartedCannotBeMoved() {
    let task = Box<RunLoopTask?>(nil)
    task.value = RunLoop.current.perform {
      log("1")
      task.value!.order(7)
    }.when(.currentLoopEnded)
    RunLoop.current.perform { log("2") }.when(.currentLoopEnded)
    RunLoop.current.runPass()
    task.value!.order(3)
    RunLoop.current.runPass()
    #expect(log.events == ["1", "2"])
  }

  /// A new task of a lower order runs before the tasks that the budget has left.
  @Test func tasksLeftByABudgetRunInTheirOrder() {
    RunLoop.current.taskQueue.budget = .nanoseconds(1)
    let passes = Counter()
    for order in [2, 1, 3] { RunLoop.current.perform { log("\(order)") }.when(.currentLoopEnded).order(order) }
    observe(.afterWaiting) { _ in
      log("pass")
      guard passes.count() == 1 else { return }
      RunLoop.current.perform { log("-1") }.when(.currentLoopEnded).order(-1)
    }
    run()
    #expect(log.events == ["1", "pass", "-1", "pass", "2", "pass", "3", "pass"])
  }

  @Test func tasksOfManyOrdersAreSorted() {
    let count = 20_000
    let orders = Box<[Int]>([])
    for number in 0..<count {
      let order = (number * 7_919) % count
      RunLoop.current.perform { orders.add([order]) }.when(.currentLoopEnded).order(order)
    }
    RunLoop.current.runPass()
    #expect(orders.value == Array(0..<count))
  }
}
