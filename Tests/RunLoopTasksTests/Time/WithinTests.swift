import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Testing

/// The limit of `within(_:)`.
///
/// The limits of tests that advance the time are so long that the real time makes no difference.
@Suite(.onOwnLoop) struct WithinTests {
  let log = Log()

  /// No timing makes a new task due at `entry`, with which the pass begins.
  @Test(arguments: Form.allCases, RunLoopTask.Timing.allCases)
  func aTaskWhoseLimitHasPassedIsDueAtEntry(_ form: Form, timing: RunLoopTask.Timing) {
    form.perform(when: timing, within: .seconds(3_000), forModes: [.custom]) { log("task") }
    RunLoop.current.advance(by: .seconds(4_000))  // in another mode
    logActivities(log, in: .custom)
    RunLoop.current.runPass(mode: .custom)
    #expect(log.events == ["entry", "task", "beforeWaiting", "afterWaiting", "exit"])
  }

  @Test(arguments: [RunLoop.Activity.entry, .beforeWaiting, .afterWaiting, .exit])
  func aTaskIsDueAtTheActivityBeforeWhichItsLimitPasses(activity: RunLoop.Activity) {
    RunLoop.current.perform {}.when(.currentLoopEnded)
    RunLoop.current.runPass()  // the package does not observe an unused mode
    logActivities(log)
    observeOnce(activity) {
      // No activity makes the tasks of all timings due by itself.
      for timing in RunLoopTask.Timing.allCases {
        RunLoop.current.perform { log("task") }.when(timing).within(.seconds(3_000))
      }
      stopClock(after: .seconds(4_000))
    }
    RunLoop.current.runPass()
    letClockRun()
    #expect(log.events == emptyPass.flatMap { $0 == "\(activity)" ? [$0, "task", "task", "task"] : [$0] })
  }

  @Test func aTaskWhoseLimitHasPassedDoesNotRunBeforeOlderTasks() {
    RunLoop.current.perform { log("1") }.when(.currentLoopEnded)
    RunLoop.current.perform { log("2") }.when(.idle).within(.seconds(3_000))
    RunLoop.current.perform { log("3") }.when(.currentLoopEnded)
    observe(.beforeWaiting) { _ in stopClock(after: .seconds(4_000)) }
    RunLoop.current.runPass()
    letClockRun()
    #expect(log.events == ["1", "2", "3"])
  }

  @Test(arguments: Form.allCases, RunLoopTask.Timing.allCases)
  func aLimitWinsOverADelay(_ form: Form, timing: RunLoopTask.Timing) {
    form.perform(when: timing, after: .seconds(3_000), within: .seconds(1_000)) { log("task") }
    RunLoop.current.advance(by: .seconds(900))
    log("limit")
    logActivities(log)
    RunLoop.current.advance(by: .seconds(200))
    #expect(log.events == ["limit"] + emptyPass + ["entry", "task"] + emptyPass.dropFirst() + emptyPass)
  }

  // MARK: the interval of a key

  private func beginInterval(_ form: Form = .chain) {
    form.perform(coalescedBy: "key", atMostEvery: .seconds(9_000)) {}
    RunLoop.current.runPass()
  }

  @Test(arguments: Form.allCases) func aLimitWinsOverTheIntervalOfAKey(_ form: Form) {
    beginInterval(form)
    form.perform(when: .idle, within: .seconds(1_000), coalescedBy: "key", atMostEvery: .seconds(9_000)) {
      log("task")
    }
    RunLoop.current.advance(by: .seconds(900))
    log("before the limit")
    RunLoop.current.advance(by: .seconds(200))
    RunLoop.current.advance(by: .seconds(8_500))
    form.perform(coalescedBy: "key", atMostEvery: .seconds(9_000)) { log("next") }
    RunLoop.current.runPass()
    log("after the first interval")
    RunLoop.current.advance(by: .seconds(1_000))
    #expect(log.events == ["before the limit", "task", "after the first interval", "next"])
  }

  // MARK: waking, and a second call

  @Test(arguments: RunLoopTask.Timing.allCases)
  func theLoopWakesForATaskWhoseLimitHasPassed(timing: RunLoopTask.Timing) {
    keepAlive(.default)
    logActivities(log)
    stopClock()  // The limit passes during the sleep, however slow the machine is.
    observe(.beforeWaiting, order: Order.last) { _ in letClockRun() }
    RunLoop.current.perform { log.andStop("task") }.when(timing).after(.seconds(3_000)).within(.milliseconds(1))
    run()
    #expect(log.events.firstIndex(of: "task").map { log.events[$0 - 1] } == "afterWaiting")
  }

  /// It is due all the same, as the limit wins over the delay.
  @Test func aDelayOfATaskWhoseLimitHasPassedPutsItBehindTheOthers() {
    let task = RunLoop.current.perform { log("delayed") }.forModes(.custom).within(.seconds(1_000))
    RunLoop.current.perform { log("other") }.forModes(.custom).within(.seconds(1_000))
    RunLoop.current.advance(by: .seconds(2_000))
    task.after(.seconds(9_000))
    RunLoop.current.runPass(mode: .custom)
    #expect(log.events == ["other", "delayed"])
  }

  /// Both are overdue, and nothing has looked. In one case the delayed one is the newest task.
  @Test(arguments: [true, false]) func aDelayPutsATaskBehindThoseWhoseLimitsHavePassedBefore(isNewest: Bool) {
    RunLoop.current.perform { log("first") }.within(.seconds(2_000)).after(.seconds(9_000))
    let second = RunLoop.current.perform { log("second") }.within(.seconds(1_000))
    if !isNewest { RunLoop.current.perform {}.when(.idle) }
    keepBusy(for: .seconds(3_000))
    second.after(.seconds(500))
    RunLoop.current.runPass()
    #expect(log.events == ["first", "second"])
  }

  /// In one case it is the newest task.
  @Test(arguments: [true, false]) func aLimitThatIsPutOffAfterItHasPassedLetsTheDelayGoOn(isNewest: Bool) {
    let task = RunLoop.current.perform { log("task") }.after(.seconds(9_000)).within(.seconds(1_000))
    if !isNewest { RunLoop.current.perform {}.when(.idle) }
    keepBusy(for: .seconds(2_000))
    task.within(.seconds(90_000))
    RunLoop.current.advance(by: .seconds(6_000))
    log("9000 s")
    RunLoop.current.advance(by: .seconds(2_000))
    #expect(log.events == ["9000 s", "task"])
  }

  /// In the second case the limit has passed at the second call.
  @Test(arguments: [2_000, 4_000]) func aSecondCallOfWithinCountsAnew(secondsBetween: Int) {
    let task = RunLoop.current.perform { log("task") }.when(.idle).forModes(.custom).within(.seconds(3_000))
    RunLoop.current.advance(by: .seconds(secondsBetween))
    task.within(.seconds(3_000))
    RunLoop.current.advance(by: .seconds(4_000 - secondsBetween))
    logActivities(log, in: .custom)
    RunLoop.current.runPass(mode: .custom)
    #expect(log.events == ["entry", "beforeWaiting", "task", "afterWaiting", "exit"])
  }
}
