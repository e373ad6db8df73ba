import Foundation
import RunLoopTasks
import RunLoopVirtualTime
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

  /// Nothing else wakes the loop, ends its run or keeps it alive.
  @Test(
    arguments: combinations(
      Form.allCases, RunLoopTask.Timing.allCases, [RunLoop.Mode.default, .common, .custom]))
  func aDelayedTaskKeepsItsRunAliveAndWakesItAtTheEnd(_ form: Form, timing: RunLoopTask.Timing, mode: RunLoop.Mode) {
    let start = taskTime()
    let end = Box(start)
    form.perform(when: timing, after: .milliseconds(5), forModes: [mode]) {
      end.value = taskTime()
      log("task")
    }
    run(mode == .common ? .default : mode)
    log("left")
    #expect(end.value - start >= .milliseconds(5))
    #expect(log.events == ["task", "left"])
  }

  /// The loop runs in another mode while the time passes, or is busy.
  @Test(arguments: Form.allCases, [true, false])
  func aTaskTakesItsPlaceInLineAtTheEndOfItsDelay(_ form: Form, isBusy: Bool) {
    func letTimePass() {
      if isBusy { keepBusy(for: .seconds(2_000)) } else { RunLoop.current.advance(by: .seconds(2_000)) }
    }
    form.perform(when: .currentLoopEnded, after: .seconds(3_000), forModes: [.custom]) { log("late") }
    form.perform(when: .currentLoopEnded, after: .seconds(1_000), forModes: [.custom]) { log("early") }
    form.perform(when: .currentLoopEnded, forModes: [.custom]) { log("at once") }
    letTimePass()
    form.perform(when: .currentLoopEnded, forModes: [.custom]) { log("between") }
    letTimePass()
    form.perform(when: .currentLoopEnded, forModes: [.custom]) { log("last") }
    RunLoop.current.runPass(mode: .custom)
    #expect(log.events == ["at once", "early", "between", "late", "last"])
  }

  @Test(arguments: Form.allCases, [Duration.zero, .seconds(-1), .seconds(Int64.min)])
  func aDelayOfZeroOrLessIsNone(_ form: Form, delay: Duration) {
    form.perform(when: .currentLoopEnded, after: delay) { log("task") }
    RunLoop.current.perform { log("behind it") }.when(.currentLoopEnded)
    RunLoop.current.runPass()
    #expect(log.events == ["task", "behind it"])
  }

  @Test func aSecondCallOfAfterCountsAnew() {
    let task = RunLoop.current.perform { log("task") }.when(.currentLoopEnded).after(.seconds(3_000))
    RunLoop.current.advance(by: .seconds(2_000))
    task.after(.seconds(3_000))
    RunLoop.current.advance(by: .seconds(2_000))
    log("still waits")
    RunLoop.current.advance(by: .seconds(2_000))
    #expect(log.events == ["still waits", "task"])
  }

  /// Nothing may look at the tasks between the end of the first delay and the call. In one case the second is the
  /// newest.
  @Test(arguments: [true, false]) func aDelayThatIsTakenBackEndsAfterThoseThatHaveEndedBefore(isNewest: Bool) {
    RunLoop.current.perform { log("first") }.after(.seconds(1_000))
    let second = RunLoop.current.perform { log("second") }.after(.seconds(9_000))
    if !isNewest { RunLoop.current.perform {}.when(.idle) }
    keepBusy(for: .seconds(2_000))
    second.after(.zero)
    RunLoop.current.runPass()
    #expect(log.events == ["first", "second"])
  }

  @Test(arguments: Form.allCases, [Duration.seconds(Int64.max), .nanoseconds(Int64.max), .seconds(1e18)])
  func aHugeDelayNeverEnds(_ form: Form, delay: Duration) {
    form.perform(coalescedBy: "key", atMostEvery: delay) {}
    RunLoop.current.runPass()
    form.perform(coalescedBy: "key", atMostEvery: delay) { log("throttled") }
    RunLoop.current.runPass()
    let task = form.perform(after: delay, within: delay, coalescedBy: "key", atMostEvery: delay) {}
    RunLoop.current.advance(by: .seconds(1_000_000))
    addTimer(after: 0.001) { stopRun() }
    run()
    #expect(task.state == .pending && log.events.isEmpty)
    #expect(RunLoop.current.taskQueue.debugDescription.contains("1 pending"))
    #expect(task.cancel())
  }

  @Test func aTaskWhoseDelayEndsDuringABatchWaitsForTheNext() {
    RunLoop.current.perform { log("its time has come") }.when(.currentLoopEnded).after(.seconds(1_000))
    RunLoop.current.perform {
      keepBusy(for: .seconds(2_000))
      RunLoop.current.perform {}.when(.idle)  // lets the package see the time
    }.when(.currentLoopEnded)
    RunLoop.current.perform { log("last of the batch") }.when(.currentLoopEnded)
    observe(.beforeWaiting, order: Order.frame) { _ in log("end of a pass") }
    run()
    #expect(log.events.prefix(3) == ["last of the batch", "end of a pass", "its time has come"])
  }
}
