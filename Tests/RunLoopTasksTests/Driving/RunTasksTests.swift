import Foundation
import RunLoopTasks
import Testing

/// `RunLoop.runTasks(of:)`.
@Suite(.onOwnLoop) struct RunTasksTests {
  let log = Log()

  private func perform(_ name: String, when timing: RunLoopTask.Timing = .currentLoopEnded) {
    RunLoop.current.perform { log(name) }.when(timing)
  }

  @discardableResult
  private func runTasks(of timing: RunLoopTask.Timing = .currentLoopEnded) -> Bool {
    RunLoop.current.runTasks(of: timing)
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func itRunsTheTasksOfItsTimingInTheirOrderAndOnce(timing: RunLoopTask.Timing) {
    allowLongBatches()
    perform("1", when: timing)
    for other in RunLoopTask.Timing.allCases where other != timing { perform("\(other)", when: other) }
    RunLoop.current.perform { log("3") }.when(timing).order(1)
    perform("2", when: timing)
    RunLoop.current.perform { log("0") }.when(timing).order(-1)
    log("\(runTasks(of: timing)) \(runTasks(of: timing))")
    #expect(log.events == ["0", "1", "2", "3", "true false"])
    RunLoop.current.runPass()
    let others = [RunLoopTask.Timing.currentLoopEnded, .nextLoopBegan, .idle].filter { $0 != timing }
    #expect(log.events.dropFirst(5) == others.map { "\($0)" }[...])
  }

  @Test func itRunsTasksWhoseLimitHasPassedWhateverTheirTiming() {
    atOneMoment {
      RunLoop.current.perform { log("idle") }.when(.idle).within(.seconds(2))
      RunLoop.current.perform { log("began") }.when(.nextLoopBegan).within(.seconds(1))
      perform("ended")
      stopClock(after: .milliseconds(1_999))
      runTasks()
      #expect(log.events == ["began", "ended"])
      stopClock(after: .milliseconds(1))
      #expect(runTasks(of: .nextLoopBegan))
    }
    #expect(log.events == ["began", "ended", "idle"])
  }

  @Test func itRunsWhatOtherThreadsHaveSent() {
    let queue = RunLoop.current.taskQueue
    elsewhere { queue.perform(when: .currentLoopEnded) { log("sent") } }
    #expect(runTasks())
    #expect(log.events == ["sent"])
  }

  // MARK: modes

  /// The loop calls no observer of the package in a run that began before the package was used in its mode.
  @Test(arguments: [RunLoop.Mode.default, .custom]) func itRunsTasksInARunThatBeganUnseen(mode: RunLoop.Mode) {
    let source = Source(in: mode) {
      RunLoop.current.perform { log("1") }.when(.currentLoopEnded).forModes(mode)
      log("\(runTasks())")
      RunLoop.current.perform { log.andStop("2") }.when(.currentLoopEnded).forModes(mode)
    }
    source.signal()
    run(mode)
    source.remove()
    #expect(log.events == ["1", "true", "2"])
  }

  // MARK: a batch

  @Test func theBudgetEndsTheBatch() {
    let queue = RunLoop.current.taskQueue
    queue.budget = .nanoseconds(1)
    for number in 1...3 { perform("\(number)") }
    runTasks()
    #expect(log.events == ["1"])
    observeOnce(.beforeSources) { runTasks() }
    RunLoop.current.runPass()
    #expect(log.events == ["1", "2", "3"])
  }

  enum Caller: CaseIterable { case itself, anActivity, aPassInATask }

  /// The nested batch runs the remaining tasks of the interrupted one, and none twice.
  @Test(arguments: Caller.allCases) func aTaskMayRunTheRemainingTasksOfItsBatch(_ caller: Caller) {
    RunLoop.current.perform {
      log("1{")
      if caller == .aPassInATask { RunLoop.current.runPass() } else { log("\(runTasks()) \(runTasks())") }
      log("}")
    }.when(.currentLoopEnded)
    RunLoop.current.perform {
      log("2{")
      if caller == .aPassInATask { log("\(runTasks()) \(runTasks())") }
      log("}")
    }.when(.currentLoopEnded)
    perform("3")
    if caller == .anActivity { RunLoop.current.runPass() } else { runTasks() }
    switch caller {
    case .itself, .anActivity: #expect(log.events == ["1{", "2{", "}", "3", "true false", "}"])
    case .aPassInATask: #expect(log.events == ["1{", "2{", "3", "true false", "}", "}"])
    }
  }

  // MARK: the run around it

  /// A task does not run a second time at its activity, and the idle tasks wait for a pass in which nothing else has
  /// run.
  @Test func aTaskThatItHasRunCountsAsRunInThePass() {
    let keepAlive = ModeHolder()
    perform("ended")
    observeOnce(.beforeTimers) { runTasks() }
    logActivities(log)
    perform("idle", when: .idle)
    observeNumbered(.beforeWaiting, order: Order.last) { if $0 == 2 { stopRun() } }
    run()
    withExtendedLifetime(keepAlive) {}
    #expect(
      log.events.filter { $0 != "entry" && $0 != "exit" } == [
        "ended", "beforeWaiting", "afterWaiting", "beforeWaiting", "idle", "afterWaiting",
      ])
  }

  /// Nothing else keeps the mode alive, and the run has no limit.
  @Test(arguments: [RunLoop.Activity.entry, .beforeSources, .beforeWaiting, .afterWaiting], [Order.first, Order.last])
  func aRunEndsOnceItHasRunTheLastTask(activity: RunLoop.Activity, order: Int) {
    RunLoop.current.perform {}.when(.idle)
    RunLoop.current.runPass()
    perform("idle", when: .idle)
    observeOnce(activity, order: order) { runTasks(of: .idle) }
    run()
    #expect(log.events == ["idle"])
  }
}
