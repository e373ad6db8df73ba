import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Testing

/// An `.idle` task runs in a pass without other tasks, and in slices. `IdleWaitTests` has what comes between these.
@Suite(.onOwnLoop) struct IdleTests {
  let log = Log()

  @Test(arguments: [RunLoopTask.Timing.currentLoopEnded, .nextLoopBegan])
  func anIdleTaskWaitsForAPassWithoutOtherTasks(timing: RunLoopTask.Timing) {
    keepAlive(.default)
    observe(.beforeWaiting) { log("\($0)") }
    RunLoop.current.perform { log.andStop("idle") }.when(.idle)
    RunLoop.current.perform { log("other") }.when(timing)
    run()
    // A `.nextLoopBegan` task belongs to the pass that begins with it.
    let passes = Array(repeating: "beforeWaiting", count: timing == .nextLoopBegan ? 2 : 1)
    #expect(log.events == ["beforeWaiting", "other"] + passes + ["idle"])
  }

  // MARK: slices

  @Test func afterASliceTimersAndSourcesGetTheirTurnAndTheRestStaysFirstInLine() {
    keepAlive(.default)
    logActivities(log)
    RunLoop.current.perform {
      log("1")
      spin()
      addTimer { log("timer") }
      RunLoop.current.perform { log.andStop("3") }.when(.idle)
    }.when(.idle)
    RunLoop.current.perform {
      log("2")
      spin()
    }.when(.idle)
    run()
    #expect(
      log.events == [
        "entry", "beforeWaiting", "1", "afterWaiting", "timer", "beforeWaiting", "2", "afterWaiting", "beforeWaiting",
        "3", "afterWaiting", "exit",
      ])
  }

  @Test func untilTasksFinishTimersAndSourcesGetTheirTurnAfterEachSlice() {
    let source = Source { [log] in log("source") }
    RunLoop.current.perform { [log] in
      source.signal()
      addTimer { log("timer") }
      spin()
    }.when(.idle)
    log.performSlices(2)
    RunLoop.current.runUntilTasksFinish()
    #expect(log.events == ["timer", "source", "1", "2"])
  }

  enum Drive: CaseIterable { case runPass, advance }

  @Test(arguments: Drive.allCases) func inDrivenPassesThereAreNoSlices(drive: Drive) {
    logActivities(log)
    log.performSlices(3)
    switch drive {
    case .runPass: RunLoop.current.runPass()
    case .advance: RunLoop.current.advance(by: .seconds(1))
    }
    let pass = ["entry", "beforeWaiting", "1", "2", "3", "afterWaiting", "exit"]
    #expect(log.events == pass + (drive == .advance ? emptyPass : []))
  }

  /// A task of the batch at `exit` makes the others idle.
  @Test func tasksThatBecomeIdleInTheirBatchHaveSlices() {
    let tasks = Box<[RunLoopTask]>([])
    RunLoop.current.perform { [log] in
      log("first")
      for task in tasks.value { task.when(.idle) }
    }.when(.currentLoopEnded)
    for number in 1...3 {
      let task = RunLoop.current.perform { [log] in
        log("\(number)")
        spin()
      }.when(.nextLoopBegan)
      tasks.add([task])
    }
    poll()
    #expect(log.events == ["first", "1"])
  }

  @Test func aBudgetTakesThePlaceOfTheSlice() {
    RunLoop.current.taskQueue.budget = .seconds(3_600)
    observe(.beforeWaiting, order: Order.frame) { _ in log("pass") }
    log.performSlices(2)
    run()
    #expect(log.events == ["1", "2", "pass"] || log.events == ["1", "2", "pass", "pass"])
  }
}
