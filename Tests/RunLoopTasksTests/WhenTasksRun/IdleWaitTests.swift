import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// After a batch that was cut short, idle tasks wait until everything else that was ready has had a turn, in whatever way
/// the loop is driven.
@Suite(.onOwnLoop) struct IdleWaitTests {
  let log = Log()

  enum Drive: CaseIterable {
    case oneRun, shortRuns, runUntil, polls

    /// Drives the loop until a condition holds. What makes it hold stops the run.
    func callAsFunction(until holds: () -> Bool) {
      switch self {
      case .oneRun: run()
      case .shortRuns: while !holds() { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
      case .runUntil: RunLoop.current.runUntil(holds)
      case .polls: while !holds() { poll() }
      }
    }
  }

  /// What each slice makes ready has its turn before the next one, also in a modal loop.
  @Test(arguments: Drive.allCases, [false, true]) func betweenTwoSlicesTimersAndSourcesHaveATurn(
    drive: Drive, isNested: Bool
  ) {
    let (ready, late, slices) = (Box<Set<String>>([]), Counter(), Counter())
    let source = Source { ready.value.remove("source") }
    for _ in 1...6 {
      RunLoop.current.perform {
        for _ in ready.value { late.count() }
        if slices.count() == 6 { return stopRun() }
        ready.value = ["timer", "source"]
        addTimer { ready.value.remove("timer") }
        source.signal()
        CFRunLoopWakeUp(CFRunLoopGetCurrent())
        spin()
      }.when(.idle)
    }
    let body = { @Sendable in drive { slices.value == 6 } }
    if isNested {
      addTimer {
        body()
        stopRun()
      }
      run()
    } else {
      body()
    }
    #expect(slices.value == 6 && late.value == 0)
  }

  /// Each run serves one source, so some wait for a few slices.
  @Test func whereEachRunEndsAfterOneSourceAllHaveATurn() {
    let (ready, longest, slices) = (Box<[Int: Int]>([:]), Box(0), Counter())
    let sources = (1...6).map { number in Source { ready.value[number] = nil } }
    for _ in 1...12 {
      RunLoop.current.perform {
        if slices.count() == 12 { return stopRun() }
        longest.value = max(longest.value, ready.value.values.map { slices.value - $0 }.max() ?? 0)
        for (number, source) in zip(1..., sources) where ready.value[number] == nil {
          ready.value[number] = slices.value
          source.signal()
        }
        spin()
      }.when(.idle)
    }
    Drive.shortRuns { slices.value == 12 }
    #expect((1...3).contains(longest.value))
  }

  /// The source is ready in each run, and ends it.
  @Test(arguments: [Drive.shortRuns, .polls]) func besideASourceThatIsAlwaysReadyIdleTasksCome(drive: Drive) {
    let source = addSource { source, _ in source.send(0) }
    source.send(0)
    log.performSlices(3)
    drive { log.events.count == 3 }
    #expect(log.events == ["1", "2", "3"])
  }

  @Test func aBacklogAloneTakesOnePassForEachSlice() {
    let passes = Counter()
    observe(.beforeWaiting) { _ in passes.count() }
    log.performSlices(8)
    run()
    #expect(log.events.count == 8 && passes.value <= 10)
  }

  @Test func tasksOfOtherTimingsAndThoseWhoseLimitHasPassedDoNotWait() {
    log.performSlices(2)
    poll()
    RunLoop.current.perform { [log] in log("limited") }.when(.idle).within(.zero)
    RunLoop.current.perform { [log] in log("ended") }.when(.currentLoopEnded)
    poll()
    #expect(log.events == ["1", "limited", "ended"])
  }

  /// Each run serves one source. On a slow machine the wait may reach its limit of 0.1 s, and says nothing then.
  @Test func anyBatchThatTheBudgetCutsShortLetsIdleTasksWait() {
    RunLoop.current.taskQueue.budget = .nanoseconds(1)
    let sources = (1...2).map { _ in Source { [log] in log("source") } }
    RunLoop.current.perform { [log] in
      log("1")
      for source in sources { source.signal() }
    }.when(.currentLoopEnded)
    RunLoop.current.perform { [log] in log("2") }.when(.idle)
    let start = ContinuousClock.now
    withExtendedLifetime(sources) {  // the task releases them
      while log.events.last != "2" { _ = RunLoop.current.run(mode: .default, before: .distantPast) }
    }
    if ContinuousClock.now - start < .milliseconds(100) { #expect(log.events == ["1", "source", "source", "2"]) }
  }

  /// The timer has woken the outer run. In the nested one it is due and cannot fire, and holds other timers up, also what
  /// would end the wait.
  @Test func theWaitEndsThoughATimerCannotFire() {
    RunLoop.current.perform {}.when(.idle).cancel()  // so that the package knows the run
    addTimer { log("timer") }
    observeOnce(.afterWaiting) {
      log.performSlices(1)
      RunLoop.current.perform { [log] in log.andStop("2") }.when(.idle)
      run()
      log("returned")
      stopRun()
    }
    run()
    #expect(log.events == ["1", "2", "returned", "timer"])
  }

  @Test func inRunsOfSeveralModesIdleTasksWaitToo() {
    let slices = Counter()
    for _ in 1...2 {
      RunLoop.current.perform {
        slices.count()
        spin()
      }.when(.idle).forModes(.custom, .other)
    }
    var runs = 0
    while slices.value < 2 {
      poll(runs.isMultiple(of: 2) ? .custom : .other)
      runs += 1
    }
    #expect((3...1_000).contains(runs))  // in 0.1 s there were more
  }

  @Test func aRunOfAModeWithNothingInLineDoesNotEndTheWait() {
    keepAlive(.other)
    log.performSlices(2)
    poll()
    #expect(!RunLoop.current.runUntil(mode: .other, timeout: .milliseconds(1)) { false })
    poll()
    #expect(log.events == ["1"])
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

  /// Of the pass, and of what a run nested in it leaves.
  @Test func aPassThatIsDrivenEndsTheWait() {
    log.performSlices(2)
    poll()
    RunLoop.current.runPass()
    #expect(log.events == ["1", "2"])
    RunLoop.current.perform { [log] in
      log.performSlices(3)
      poll()
    }.when(.currentLoopEnded)
    RunLoop.current.runPass()
    #expect(log.events == ["1", "2", "1", "2", "3"])
  }
}
