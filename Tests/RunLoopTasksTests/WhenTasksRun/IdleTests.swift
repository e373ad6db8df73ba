import Foundation
import RunLoopTasks
import Testing

/// An `.idle` task runs in a pass without other tasks, and in slices.
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

  /// Tasks with another timing are due at `exit` anyway.
  @Test func atExitOnlyIdleTasksGiveWay() {
    keepAlive(.default)
    logActivities(log)
    log.performSlices(1)
    RunLoop.current.perform { log("2") }.when(.idle)
    RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
    // Each poll serves one port, so the second slice waits until wake-ups, timers and the main queue have had one each.
    for _ in 1...4 { poll() }
    let waits = Array(repeating: ["entry", "exit"], count: 3).joined()
    #expect(log.events == ["entry", "exit", "1", "ended"] + waits + ["2"])
  }

  /// As in one mode, the third exit ends the wait.
  @Test func inRunsOfAnotherModeIdleTasksWaitToo() {
    for number in 1...2 {
      RunLoop.current.perform {
        log("\(number)")
        spin()
      }.when(.idle).forModes(.custom, .other)
    }
    for mode in [RunLoop.Mode.custom, .other] { observe(.exit, in: mode, order: Order.app) { _ in log("exit") } }
    for mode in [RunLoop.Mode.custom, .other, .custom, .other] { poll(mode) }
    #expect(log.events == ["exit", "1", "exit", "exit", "exit", "2"])
  }

  @Test func aRunOfAModeWithNothingInLineDoesNotEndTheWait() {
    keepAlive(.other)
    log.performSlices(2)
    poll()
    #expect(!RunLoop.current.runUntil(mode: .other, timeout: .milliseconds(1)) { false })
    poll()
    #expect(log.events == ["1"])
  }

  /// Each run serves one source.
  @Test func aSliceWaitsForAllSourcesAlsoIfEachEndsARun() {
    let sources = (1...6).map { number in addSource { _, _ in log("source") } }
    RunLoop.current.perform { [log] in
      log("1")
      for source in sources { source.send(0) }
      spin()
    }.when(.idle)
    RunLoop.current.perform { [log] in log.andStop("2") }.when(.idle)
    while log.events.last != "2" { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
    #expect(log.events == ["1"] + Array(repeating: "source", count: 6) + ["2"])
  }

  /// The timer ends the first run, so that the loop comes to its source in the second one only.
  @Test func aSliceWaitsForSourcesAlsoIfTheRunEnds() {
    let source = Source { [log] in log("source") }
    RunLoop.current.perform { [log] in
      log("1")
      source.signal()
      addTimer { log.andStop("timer") }
      spin()
    }.when(.idle)
    RunLoop.current.perform { [log] in log.andStop("2") }.when(.idle)
    run()
    if log.events.last == "timer" { run() }
    #expect(log.events == ["1", "timer", "source", "2"])
  }

  /// The first run ends as the loop calls back. The second one looks at the main queue after its first `beforeWaiting`
  /// only.
  @Test func aSliceWaitsForASleepOfItsOwnRun() {
    keepAlive(.default)
    logActivities(log)
    log.performSlices(1)
    RunLoop.current.perform { log.andStop("2") }.when(.idle)
    observeOnce(.afterWaiting) { stopRun() }
    for _ in 1...2 { run() }
    let first = ["entry", "beforeWaiting", "1", "afterWaiting", "exit"]
    #expect(log.events == first + emptyPass.dropLast() + ["beforeWaiting", "2", "afterWaiting", "exit"])
  }

  /// A run in another mode is left while its slices wait. A timer that is always due fires once in a pass.
  @Test func slicesInAnotherModeWaitForNoCallBackOfTheFirst() {
    let left = Counter()
    for mode in [RunLoop.Mode.custom, .custom, .other, .other, .other] {
      RunLoop.current.perform {
        left.count()
        log("slice")
        spin()
      }.when(.idle).forModes(mode)
    }
    RunLoop.current.runUntil(mode: .custom) { left.value == 1 }
    observe(.entry, in: .other) { _ in RunLoop.current.runTasks(of: .idle) }
    let timer = Timer(timeInterval: 0.001, repeats: true) { _ in log("timer") }
    RunLoop.current.add(timer, forMode: .other)
    RunLoop.current.runUntil(mode: .other) { left.value == 4 }
    timer.invalidate()
    #expect(log.events.split(separator: "slice").allSatisfy { $0.count <= 3 }, "\(log.events)")
  }

  /// The rest of the slice is cancelled while it waits. At the exit that follows nothing is to be served first.
  @Test func aSliceWhoseRestIsCancelledHoldsUpNoLaterTask() {
    log.performSlices(2)
    observe(.afterWaiting) { _ in RunLoop.current.taskQueue.cancelAll() }
    run()
    RunLoop.current.perform { log("later") }.when(.idle)
    poll()
    #expect(log.events == ["1", "later"])
  }

  /// The rest of its batch runs, so nothing was cut short.
  @Test func aSliceThatWasTheLastHoldsUpNoLaterTask() {
    RunLoop.current.perform {}.after(.seconds(3_000))
    log.performSlices(1)
    RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
    poll()
    RunLoop.current.perform { log("later") }.when(.idle)
    poll()
    #expect(log.events == ["1", "ended", "later"])
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

  /// The source comes when the loop has been called back, and cuts another batch short.
  @Test func idleTasksGiveWayOnceMoreIfASourceCutsABatchShort() {
    RunLoop.current.taskQueue.budget = .nanoseconds(1)
    let source = Source { RunLoop.current.runTasks(of: .currentLoopEnded) }
    RunLoop.current.perform { [log] in
      log("1")
      source.signal()
      for number in 2...3 { RunLoop.current.perform { log("\(number)") }.when(.currentLoopEnded) }
    }.when(.idle)
    RunLoop.current.perform { [log] in log.andStop("4") }.when(.idle)
    addTimer(after: 100) { stopRun() }
    run()
    #expect(log.events == ["1", "2", "3", "4"])
  }

  /// Schedules a task that takes longer than a slice and schedules itself again.
  private func performAgainAndAgain() {
    RunLoop.current.perform {
      spin()
      performAgainAndAgain()
    }.when(.currentLoopEnded)
  }

  @Test(arguments: [nil, Duration.nanoseconds(1)])
  func idleTasksComeThoughEachPassHasATaskThatTakesLong(budget: Duration?) {
    RunLoop.current.taskQueue.budget = budget
    performAgainAndAgain()
    let task = RunLoop.current.perform {}.when(.idle)
    if budget == nil { task.order(1) }
    for _ in 1...6 { poll() }
    #expect(task.state == .finished)
  }

  enum Call: CaseIterable { case runTasks, runUntilTasksFinish }

  @Test(arguments: Call.allCases) func whoeverCallsForIdleTasksNeedNotWait(call: Call) {
    log.performSlices(2)
    poll()
    switch call {
    case .runTasks: #expect(RunLoop.current.runTasks(of: .idle))
    case .runUntilTasksFinish: #expect(RunLoop.current.runUntilTasksFinish(timeout: .zero))
    }
    #expect(log.events == ["1", "2"])
  }

  enum Drive: CaseIterable { case runPass, advance }

  @Test(arguments: Drive.allCases) func inDrivenPassesThereAreNoSlices(drive: Drive) {
    logActivities(log)
    log.performSlices(3)
    switch drive {
    case .runPass: RunLoop.current.runPass()
    case .advance: RunLoop.current.advance(by: .seconds(1))
    }
    #expect(log.events == ["entry", "beforeWaiting", "1", "2", "3", "afterWaiting", "exit"])
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

  @Test func aWaitThatBeganInAnotherModeCausesNoPasses() {
    for _ in 1...3 { RunLoop.current.perform { spin() }.when(.idle).forModes(.custom) }
    poll(.custom)
    observe(.beforeWaiting, order: Order.app) { _ in
      log("pass")
      poll()
    }
    let timer = Timer(timeInterval: 0.02, repeats: true) { _ in stopRun() }  // a nested run may take a stop
    RunLoop.current.add(timer, forMode: .default)
    run()
    #expect(log.events.count <= 2)
  }

  @Test func aBudgetTakesThePlaceOfTheSlice() {
    RunLoop.current.taskQueue.budget = .seconds(3_600)
    observe(.beforeWaiting, order: Order.frame) { _ in log("pass") }
    log.performSlices(2)
    run()
    #expect(log.events == ["1", "2", "pass"] || log.events == ["1", "2", "pass", "pass"])
  }
}
