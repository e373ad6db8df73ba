import Foundation
import RunLoopTasks
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

  @Test(arguments: [Form.chain, .arguments, .queue]) func theReplacedTaskOfADebounceIsCancelled(_ form: Form) {
    let first: RunLoopTask = {
      let token = Token { log("released") }
      return form.perform(after: .seconds(3_000), coalescedBy: "key") { token.use() }
    }()
    RunLoop.current.runPass()
    form.perform(after: .seconds(3_000), coalescedBy: "key") {}
    RunLoop.current.runPass()
    log("\(first.state)")
    #expect(log.events == ["released", "cancelled"])
  }

  @Test func aTaskThatReplacesADelayedOneMayRunAtOnce() {
    RunLoop.current.perform { log("delayed") }.when(.currentLoopEnded).after(.seconds(3_000)).coalesced(by: 1)
    RunLoop.current.perform { log("at once") }.when(.currentLoopEnded).coalesced(by: 1)
    RunLoop.current.runPass()
    RunLoop.current.advance(by: .seconds(4_000))
    #expect(log.events == ["at once"])
  }

  @Test func aTaskThatReplacesOneInLineMayBeDelayed() {
    RunLoop.current.perform { log("at once") }.when(.currentLoopEnded).coalesced(by: 1)
    RunLoop.current.perform { log("delayed") }.when(.currentLoopEnded).coalesced(by: 1).after(.seconds(3_000))
    RunLoop.current.runPass()
    log("pass")
    RunLoop.current.advance(by: .seconds(4_000))
    #expect(log.events == ["pass", "delayed"])
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

  @Test func aTaskRunsAtOnceAfterTheInterval() {
    for number in 1...3 {
      RunLoop.current.perform { log("\(number)") }.coalesced(by: 1, atMostEvery: .seconds(1_000))
      RunLoop.current.runPass()
      log("pass")
      RunLoop.current.advance(by: .seconds(2_000))
    }
    #expect(log.events == ["1", "pass", "2", "pass", "3", "pass"])
  }

  @Test func eachKeyHasItsOwnInterval() {
    for round in 1...2 {
      for key in 1...2 {
        RunLoop.current.perform { log("\(round).\(key)") }.coalesced(by: key, atMostEvery: .seconds(1_000 * key))
      }
      RunLoop.current.runPass()
      log("pass")
    }
    RunLoop.current.advance(by: .seconds(1_500))
    log("advanced")
    RunLoop.current.advance(by: .seconds(1_000))
    #expect(log.events == ["1.1", "1.2", "pass", "pass", "2.1", "advanced", "2.2"])
  }

  @Test(arguments: [Duration.zero, .seconds(-1)]) func anIntervalOfZeroOrLessIsNone(interval: Duration) {
    for number in 1...2 {
      RunLoop.current.perform { log("\(number)") }.coalesced(by: keys(1), atMostEvery: interval)
      RunLoop.current.runPass()
    }
    #expect(keys.held == 0)
    #expect(log.events == ["1", "2"])
  }

  @Test func aCancelledTaskStartsNoInterval() {
    RunLoop.current.perform { log("cancelled") }.coalesced(by: 1, atMostEvery: .seconds(3_000)).cancel()
    RunLoop.current.perform { log("task") }.coalesced(by: 1, atMostEvery: .seconds(3_000))
    RunLoop.current.runPass()
    #expect(log.events == ["task"])
  }

  @Test func aTaskWaitsForItsDelayAndItsInterval() {
    func schedule(_ name: String, after delay: Duration) {
      RunLoop.current.perform { log(name) }.after(delay).coalesced(by: 1, atMostEvery: .seconds(3_000))
    }
    schedule("first", after: .zero)
    RunLoop.current.runPass()
    schedule("second", after: .seconds(1_000))
    RunLoop.current.advance(by: .seconds(2_000))
    log("delay")
    RunLoop.current.advance(by: .seconds(2_000))
    schedule("third", after: .seconds(5_000))
    RunLoop.current.advance(by: .seconds(4_000))
    log("interval")
    RunLoop.current.advance(by: .seconds(2_000))
    #expect(log.events == ["first", "delay", "second", "interval", "third"])
  }

  @Test func theLoopSleepsUntilTheIntervalIsOver() {
    let (interval, passes) = onLoopThread {
      let (begins, passes) = (Box<[Duration]>([]), Counter())
      observe(.beforeWaiting) { _ in passes.count() }
      func schedule() {
        RunLoop.current.perform { begins.add([taskTime()]) }.coalesced(by: 1, atMostEvery: .milliseconds(5))
      }
      schedule()
      RunLoop.current.runPass()
      for _ in 1...10 { schedule() }
      run()
      return (begins.value.count == 2 ? begins.value[1] - begins.value[0] : .zero, passes.value)
    }
    #expect(interval >= .milliseconds(5))
    #expect(passes <= 20)
  }
}
