import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// An `.idle` task runs in a pass without other tasks, and gives way to timers.
@Suite(.onOwnLoop) struct IdleTests {
  let log = Log()

  @Test(arguments: [
    (
      RunLoopTask.Timing.currentLoopEnded,
      ["entry", "beforeWaiting", "other", "afterWaiting", "beforeWaiting", "idle", "afterWaiting", "exit"]
    ),
    // A `.nextLoopBegan` task belongs to the pass that begins with it.
    (
      .nextLoopBegan,
      [
        "entry", "beforeWaiting", "afterWaiting", "other", "beforeWaiting", "afterWaiting", "beforeWaiting", "idle",
        "afterWaiting", "exit",
      ]
    ),
  ])
  func anIdleTaskWaitsForAPassWithoutOtherTasks(timing: RunLoopTask.Timing, expected: [String]) {
    keepAlive(.default)
    logActivities(log)
    RunLoop.current.perform { log.andStop("idle") }.when(.idle)
    RunLoop.current.perform { log("other") }.when(timing)
    run()
    #expect(log.events == expected)
  }

  /// The next task of a chain runs in the next pass. Nothing else wakes the loop here.
  @Test func aChainOfIdleTasksNeedsNoTimer() {
    func goOn(_ left: Int) {
      if left == 0 { return stopRun() }
      RunLoop.current.perform { goOn(left - 1) }.when(.idle)
    }
    keepAlive(.default)
    goOn(12)
    var sleepsWithATimer = 0
    // The only timer that the mode can have is one of the package.
    observe(.beforeWaiting, order: Order.last) { _ in
      let date = CFRunLoopGetNextTimerFireDate(CFRunLoopGetCurrent(), RunLoop.Mode.default.cf)
      if date > CFAbsoluteTimeGetCurrent() { sleepsWithATimer += 1 }
    }
    run()
    #expect(sleepsWithATimer == 0)
  }

  // MARK: a timer of the mode that is due ends a batch

  /// The timer is due from the beginning, or from the first task on: since this moment, or since the distant past.
  @Test(arguments: [true, false], [0, Date.distantPast.timeIntervalSinceNow])
  func atLeastOneTaskRunsAndTheRestStayFirstInLine(isDueBefore: Bool, since seconds: Double) {
    keepAlive(.default)
    logActivities(log)
    if isDueBefore { observeOnce(.beforeWaiting, order: Order.app) { addTimer(after: seconds) { log("timer") } } }
    RunLoop.current.perform {
      log("1")
      if !isDueBefore { addTimer(after: seconds) { log("timer") } }
      RunLoop.current.perform { log.andStop("4") }.when(.idle)
    }.when(.idle)
    for number in 2...3 { RunLoop.current.perform { log("\(number)") }.when(.idle) }
    run()
    #expect(
      log.events == [
        "entry", "beforeWaiting", "1", "afterWaiting", "timer", "beforeWaiting", "2", "3", "4", "afterWaiting", "exit",
      ])
  }

  /// Nothing but the rest of the tasks can wake the loop.
  @Test func theLoopDoesNotSleepOnTheRestIfTheTimerIsGone() {
    var timer: Timer?
    RunLoop.current.perform {
      log("1")
      timer = addTimer { log("timer") }
    }.when(.idle)
    RunLoop.current.perform { log("2") }.when(.idle)
    observe(.beforeWaiting, order: Order.frame) { _ in
      timer?.invalidate()
      log("invalidated")
    }
    run()
    #expect(log.events == ["1", "invalidated", "2", "invalidated"])
  }

  /// Tasks with another timing are due at `exit` anyway.
  @Test(arguments: [RunLoopTask.Timing.idle, .currentLoopEnded])
  func atExitOnlyIdleTasksGiveWay(timingOfTheTaskThatAddsTheTimer: RunLoopTask.Timing) {
    keepAlive(.default)
    logActivities(log)
    RunLoop.current.perform { log("1") }.when(.idle)
    RunLoop.current.perform {
      log("adds")
      addTimer { log("timer") }
    }.when(timingOfTheTaskThatAddsTheTimer)
    RunLoop.current.perform { log("2") }.when(.idle)
    RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
    RunLoop.current.perform { log("3") }.when(.idle)
    poll()
    poll()
    #expect(log.events == ["entry", "exit", "1", "adds", "ended", "entry", "timer", "exit", "2", "3"])
  }

  /// How the time of a task comes while idle tasks run.
  enum Wait: CaseIterable { case delay, limit, interval }

  @Test(arguments: Wait.allCases) func idleTasksGiveWayToATaskWhoseTimeHasCome(wait: Wait) {
    if wait == .interval {
      RunLoop.current.perform {}.when(.currentLoopEnded).coalesced(by: 1, atMostEvery: .seconds(1_000))
      RunLoop.current.runPass()
    }
    RunLoop.current.perform {
      log("1")
      keepBusy(for: .seconds(2_000))
    }.when(.idle)
    RunLoop.current.perform { log("2") }.when(.idle)
    let task: RunLoopTask = RunLoop.current.perform { log("\(wait)") }
    switch wait {
    case .delay: task.when(.currentLoopEnded).after(.seconds(1_000))
    case .limit: task.when(.idle).within(.seconds(1_000))
    case .interval: task.when(.currentLoopEnded).coalesced(by: 1, atMostEvery: .seconds(1_000))
    }
    observe(.beforeWaiting, order: Order.frame) { _ in log("pass") }
    run()
    // A task whose limit has passed is due in the same batch.
    #expect(
      log.events
        == (wait == .limit ? ["1", "limit", "pass", "2", "pass"] : ["1", "pass", "\(wait)", "pass", "2", "pass"]))
  }

  /// The exit of a nested run makes the package's timer of the outer mode due.
  @Test(arguments: [false, true]) func idleTasksDoNotGiveWayToTheTimerThatWakesTheLoop(hasOtherTimer: Bool) {
    keepAlive(.default)
    runTaskAndEmptyPasses(forMode: .custom)
    keepAlive(.custom)
    observe(.beforeWaiting, order: Order.frame) { _ in log("pass") }
    for number in 1...3 {
      RunLoop.current.perform {
        log("\(number)")
        poll(.custom)
        let date = CFRunLoopGetNextTimerFireDate(CFRunLoopGetCurrent(), RunLoop.Mode.default.cf)
        #expect(date != 0 && date <= CFAbsoluteTimeGetCurrent())
        if hasOtherTimer, number == 1 { addTimer { log("timer") } }
        if number == 3 { stopRun() }
      }.when(.idle)
    }
    run()
    #expect(log.events == (hasOtherTimer ? ["1", "pass", "timer", "2", "3", "pass"] : ["1", "2", "3", "pass"]))
  }
}
