import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Testing

/// Debounce (`after` with a key) and throttle (`atMostEvery`).
///
/// The intervals of tests that advance the time are so long that the real time makes no difference.
@Suite(.onOwnLoop) struct ThrottleTests {
  let log = Log()
  let keys = Keys()

  // MARK: debounce

  @Test(arguments: Form.allCases) func eachTaskOfADebounceWaitsForItsOwnDelay(_ form: Form) {
    for text in ["s", "se", "sea", "seal"] {
      form.perform(after: .seconds(3_000), coalescedBy: "search") { log(text) }
      log("\(RunLoop.current.advance(by: .seconds(2_000)))")
      #expect(RunLoop.current.taskQueue.count == 1)
    }
    log("\(RunLoop.current.advance(by: .seconds(2_000)))")
    #expect(log.events == ["false", "false", "false", "false", "seal", "true"])
  }

  // MARK: throttle

  @Test(arguments: Form.allCases, RunLoopTask.Timing.allCases)
  func theFirstTaskRunsAtOnceThenTheLatestOfEachInterval(_ form: Form, timing: RunLoopTask.Timing) {
    func schedule(_ text: String) {
      form.perform(when: timing, coalescedBy: "key", atMostEvery: .seconds(3_000)) { log(text) }
    }
    schedule("first")
    log("\(RunLoop.current.runPass())")
    for number in 1...3 { schedule("\(number)") }
    log("\(RunLoop.current.advance(by: .seconds(1_000)))")
    schedule("latest of the first interval")
    log("\(RunLoop.current.advance(by: .seconds(1_000)))")
    log("\(RunLoop.current.advance(by: .seconds(2_000)))")
    schedule("second interval")
    log("\(RunLoop.current.advance(by: .seconds(1_000)))")
    log("\(RunLoop.current.advance(by: .seconds(3_000)))")
    #expect(
      log.events == [
        "first", "true", "false", "false", "latest of the first interval", "true", "false", "second interval", "true",
      ])
  }

  @Test(arguments: Form.allCases) func theIntervalCountsFromTheStartOfATask(_ form: Form) {
    form.perform(forModes: [.custom], coalescedBy: "key", atMostEvery: .seconds(3_000)) {
      keepBusy(for: .seconds(2_000))
    }
    RunLoop.current.advance(by: .seconds(2_500))  // the time between the scheduling and the start
    RunLoop.current.runPass(mode: .custom)
    form.perform(coalescedBy: "key", atMostEvery: .seconds(3_000)) { log("second") }
    RunLoop.current.runPass()
    log("pass")
    RunLoop.current.advance(by: .seconds(1_500))
    #expect(log.events == ["pass", "second"])
  }

  @Test(arguments: [Duration.zero, .seconds(-1)]) func anIntervalOfZeroOrLessIsNone(interval: Duration) {
    for number in 1...2 {
      RunLoop.current.perform { log("\(number)") }.coalesced(by: keys(1), atMostEvery: interval)
      RunLoop.current.runPass()
    }
    #expect(keys.held == 0)
    #expect(log.events == ["1", "2"])
  }

  @Test func theLoopSleepsUntilTheIntervalIsOver() throws {
    let (begins, passes) = (Box([taskTime()]), Counter())  // first the time before the interval begins
    observe(.beforeWaiting) { _ in passes.count() }
    for number in 0...10 {
      RunLoop.current.perform { begins.add([taskTime()]) }.coalesced(by: 1, atMostEvery: .milliseconds(5))
      if number == 0 { RunLoop.current.runPass() }
    }
    run()
    try #require(begins.value.count == 3)
    #expect(begins.value[2] - begins.value[0] >= .milliseconds(5))
    #expect(passes.value <= 20)
  }

  /// Both tasks begin at one moment.
  @Test(arguments: [1, 9]) func theLatestTaskOfAKeyBeginsTheInterval(firstInterval: Int) {
    let loop = RunLoop.current
    atOneMoment {
      for interval in [firstInterval, 10 - firstInterval] {
        loop.perform {}.coalesced(by: 1, atMostEvery: .seconds(interval)).runNow()
      }
      loop.advance(by: .seconds(2))
      loop.perform { log("third") }.coalesced(by: 1, atMostEvery: .seconds(9))
      loop.advance(by: .seconds(6))
      log("eight seconds later")
      loop.advance(by: .seconds(1))
    }
    #expect(log.events == (firstInterval == 1 ? ["eight seconds later", "third"] : ["third", "eight seconds later"]))
  }

  // MARK: the place in line

  @Test(arguments: Form.allCases, [false, true])
  func aThrottledTaskKeepsItsPlaceAndItsReplacementHasItsOwn(_ form: Form, isReplaced: Bool) {
    let interval = Duration.seconds(9_000)
    form.perform(coalescedBy: "key", atMostEvery: interval) {}
    RunLoop.current.runPass()
    form.perform(forModes: [.custom], coalescedBy: "key", atMostEvery: interval) { log("throttled") }
    RunLoop.current.perform { log("later") }.forModes(.custom)
    if isReplaced { form.perform(forModes: [.custom], coalescedBy: "key", atMostEvery: interval) { log("throttled") } }
    RunLoop.current.advance(by: interval)
    RunLoop.current.runPass(mode: .custom)
    #expect(log.events == (isReplaced ? ["later", "throttled"] : ["throttled", "later"]))
  }

  // MARK: the memory of keys

  /// Runs a task with a new key.
  private func runTask(atMostEvery interval: Duration) {
    RunLoop.current.perform(when: .currentLoopEnded, coalescedBy: keys(1), atMostEvery: interval) {}
    RunLoop.current.runPass()
  }

  @Test func anIntervalKeepsItsKeyButNoRunAlive() {
    runTask(atMostEvery: .seconds(3_000))
    #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
    #expect(RunLoop.current.runUntilTasksFinish(timeout: .zero))
    #expect(keys.held == 1)
    RunLoop.current.advance(by: .seconds(4_000))
    #expect(keys.held == 0)
  }

  /// Nothing else is scheduled.
  @Test func aKeyIsReleasedWhenTheLoopNextWakes() {
    keepAlive(.default)
    runTask(atMostEvery: .milliseconds(5))
    addTimer(after: 0.05) { stopRun() }
    run()
    #expect(keys.held == 0)
  }
}
