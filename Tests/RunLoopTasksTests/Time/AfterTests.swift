import Foundation
import RunLoopTasks
import Testing

/// A delayed task before the end of its delay of `after(_:)`, and the place in line that it takes then.
///
/// The delays of tests that advance the time are so long that the real time makes no difference.
@Suite(.onOwnLoop) struct AfterTests {
  let log = Log()

  @Test(arguments: Form.allCases, RunLoopTask.Timing.allCases)
  func aTaskIsNotDueBeforeItsDelayHasEnded(_ form: Form, timing: RunLoopTask.Timing) {
    let task = form.perform(when: timing, after: .seconds(3_000)) { log("task") }
    for _ in 1...3 { RunLoop.current.runPass() }
    poll()
    RunLoop.current.advance(by: .seconds(2_000))
    log("\(task.state)")
    RunLoop.current.advance(by: .seconds(2_000))
    log("\(task.state)")
    #expect(log.events == ["pending", "task", "finished"])
  }

  /// Nothing else wakes the loop or ends its run.
  @Test(arguments: Form.allCases, RunLoopTask.Timing.allCases)
  func theLoopWakesAtTheEndOfADelay(_ form: Form, timing: RunLoopTask.Timing) {
    let start = taskTime()
    let end = Box(start)
    form.perform(when: timing, after: .milliseconds(5)) {
      end.value = taskTime()
      log("task")
    }
    run()
    log("left")
    #expect(end.value - start >= .milliseconds(5))
    #expect(log.events == ["task", "left"])
  }

  @Test(arguments: [
    (RunLoopTask.Timing.currentLoopEnded, "beforeWaiting"), (.nextLoopBegan, "afterWaiting"), (.idle, "exit"),
  ])
  func aTaskIsThenDueAtTheNextActivityOfItsTiming(timing: RunLoopTask.Timing, activity: String) {
    let (log, latest) = (Log(), Box(""))
    logActivities(log)
    atOneMoment {
      // With the other task, an idle task is not due before the exit.
      RunLoop.current.perform {}.when(.currentLoopEnded).after(.seconds(3_000))
      RunLoop.current.perform { latest.value = log.events.last ?? "" }.when(timing).after(.seconds(3_000))
    }
    RunLoop.current.advance(by: .seconds(4_000))
    #expect(latest.value == activity)
  }

  @Test(arguments: Form.allCases)
  func aTaskTakesItsPlaceInLineAtTheEndOfItsDelay(_ form: Form) {
    form.perform(when: .currentLoopEnded, after: .seconds(3_000), forModes: [.custom]) { log("late") }
    form.perform(when: .currentLoopEnded, after: .seconds(1_000), forModes: [.custom]) { log("early") }
    form.perform(when: .currentLoopEnded, forModes: [.custom]) { log("at once") }
    RunLoop.current.advance(by: .seconds(2_000))  // in another mode
    form.perform(when: .currentLoopEnded, forModes: [.custom]) { log("between") }
    RunLoop.current.advance(by: .seconds(2_000))
    form.perform(when: .currentLoopEnded, forModes: [.custom]) { log("last") }
    RunLoop.current.runPass(mode: .custom)
    #expect(log.events == ["at once", "early", "between", "late", "last"])
  }

  @Test func tasksWhoseDelaysEndTogetherAreFirstInFirstOut() {
    atOneMoment {
      for number in 1...100 {
        RunLoop.current.perform { log("\(number)") }.when(.currentLoopEnded).after(.seconds(1))
      }
    }
    RunLoop.current.advance(by: .seconds(2))
    #expect(log.events == (1...100).map { "\($0)" })
  }

  @Test(arguments: Form.allCases, [Duration.zero, .seconds(-1), .seconds(Int64.min)])
  func aDelayOfZeroOrLessIsNone(_ form: Form, delay: Duration) {
    form.perform(when: .currentLoopEnded, after: delay) { log("task") }
    RunLoop.current.perform { log("behind it") }.when(.currentLoopEnded)
    RunLoop.current.runPass()
    #expect(log.events == ["task", "behind it"])
  }

  @Test(arguments: [true, false]) func aSecondCallOfAfterCountsAnew(onOwnThread: Bool) {
    let task = RunLoop.current.perform { log("task") }.when(.currentLoopEnded).after(.seconds(3_000))
    RunLoop.current.advance(by: .seconds(2_000))
    call(onOwnThread: onOwnThread) { task.after(.seconds(3_000)) }
    RunLoop.current.advance(by: .seconds(2_000))
    log("still waits")
    RunLoop.current.advance(by: .seconds(2_000))
    #expect(log.events == ["still waits", "task"])
  }

  @Test(arguments: Form.allCases, [Duration.seconds(Int64.max), .nanoseconds(Int64.max), .seconds(1e18)])
  func aHugeDelayNeverEnds(_ form: Form, delay: Duration) {
    let task = form.perform(after: delay, within: delay, coalescedBy: "key", atMostEvery: delay) {}
    RunLoop.current.advance(by: .seconds(1_000_000))
    addTimer(after: 0.001) { stopRun() }
    run()
    #expect(task.state == .pending)
    #expect(RunLoop.current.taskQueue.debugDescription.contains("1 pending"))
    #expect(task.cancel())
  }

  // MARK: a delay that ends while the loop is busy

  @Test(arguments: Form.allCases) func aTaskIsBehindOneWhoseDelayHasEndedBefore(_ form: Form) {
    form.perform(when: .currentLoopEnded, after: .seconds(1_000)) { log("delayed") }
    keepBusy(for: .seconds(2_000))
    form.perform(when: .currentLoopEnded) { log("new") }
    RunLoop.current.runPass()
    #expect(log.events == ["delayed", "new"])
  }

  enum Wait: CaseIterable { case delay, interval, delayAfterAnInterval }

  @Test(arguments: Wait.allCases) func aTaskWhoseTimeComesDuringABatchWaitsForTheNext(_ wait: Wait) {
    RunLoop.current.perform {}.coalesced(by: 1, atMostEvery: .seconds(1_000))
    RunLoop.current.runPass()
    let task = RunLoop.current.perform { log("its time has come") }.when(.currentLoopEnded)
    if wait != .delay { task.coalesced(by: 1, atMostEvery: .seconds(1_000)) }
    if wait == .delayAfterAnInterval { RunLoop.current.advance(by: .seconds(1_000), mode: .custom) }
    if wait != .interval { task.after(.seconds(1_000)) }
    RunLoop.current.perform {
      keepBusy(for: .seconds(2_000))
      RunLoop.current.perform {}.when(.idle)  // lets the package see the time
    }.when(.currentLoopEnded)
    RunLoop.current.perform { log("last of the batch") }.when(.currentLoopEnded)
    observe(.beforeWaiting, order: Order.frame) { _ in log("end of a pass") }
    run()
    #expect(log.events.prefix(3) == ["last of the batch", "end of a pass", "its time has come"])
  }

  @Test func aReplacementTakesThePlaceOfATaskWhoseDelayHasEnded() {
    let task = RunLoop.current.perform { log("replacement") }.when(.currentLoopEnded)
    for (seconds, name) in [(500, "delayed"), (1_000, "replaced")] {
      RunLoop.current.perform { log(name) }
        .when(.currentLoopEnded).after(.seconds(seconds)).coalesced(by: name)
    }
    keepBusy(for: .seconds(2_000))
    task.coalesced(by: "replaced")
    RunLoop.current.runPass()
    #expect(log.events == ["delayed", "replacement"])
  }

  // MARK: before the end of the delay

  /// Without the forms of other threads, as a `Thread` may hold its closure for a moment.
  @Test(arguments: [Form.chain, .arguments, .queue], [true, false])
  func aDelayedTaskCanBeCancelledAndIsReleasedAtOnce(_ form: Form, withAllTasks: Bool) {
    let task = form.perform(after: .seconds(3_000), closure(whenReleased: { log("released") }))
    RunLoop.current.runPass()
    if withAllTasks { RunLoop.current.taskQueue.cancelAll() } else { #expect(task.cancel()) }
    log("\(task.cancel())")
    #expect(RunLoop.current.taskQueue.count == 0)
    RunLoop.current.advance(by: .seconds(4_000))
    run()
    #expect(log.events == ["released", "false"])
  }

  @Test(arguments: [RunLoop.Mode.default, .common, .custom])
  func aDelayedTaskKeepsRunsOfItsModesAlive(mode: RunLoop.Mode) {
    RunLoop.current.perform { log("task") }.after(.milliseconds(5)).forModes(mode)
    let runMode = mode == .common ? .default : mode
    log("\(RunLoop.current.run(mode: runMode, before: .distantFuture))")
    log("\(RunLoop.current.run(mode: runMode, before: .distantFuture))")
    #expect(log.events == ["task", "true", "false"])
  }
}
