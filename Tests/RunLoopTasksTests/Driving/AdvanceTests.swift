import Foundation
import RunLoopTasks
import Testing

/// `RunLoop.advance`.
@Suite(.onOwnLoop) struct AdvanceTests {
  let log = Log()

  private static let pass = ["entry", "beforeWaiting", "afterWaiting", "exit"]

  /// The task clock is stopped while the delays begin, and no delay ends before time is advanced. So the test does not
  /// depend on the machine's speed.
  @Test func delaysEndExactlyAndInTheirOrder() {
    let ends = Box<[Duration]>([])
    let start = Box(Duration.zero)
    atOneMoment {
      start.value = taskTime()
      for seconds in [300, 1_000, 299, 301, 60] {
        RunLoop.current.perform { ends.add([taskTime() - start.value]) }.after(.seconds(seconds))
      }
    }
    RunLoop.current.advance(by: .seconds(2_000))
    #expect(ends.value == [60, 299, 300, 301, 1_000].map { .seconds($0) })
  }

  @Test func aDelayEndsOnceItsTimeHasPassedAndNotBefore() {
    RunLoop.current.perform { log("task") }.after(.milliseconds(300_000))
    log("\(RunLoop.current.advance(by: .milliseconds(200_000)))")
    log("\(RunLoop.current.advance(by: .milliseconds(100_000)))")
    #expect(log.events == ["false", "task", "true"])
  }

  /// The task clock stands still in each pass, so the delays are exact to the nanosecond.
  @Test(arguments: [299, 300, 301]) func aDelayBegunInATaskCountsFromTheEndOfTheTasksOwnDelay(milliseconds: Int) {
    let (gap, start) = (Box(Duration.zero), Box(Duration.zero))
    RunLoop.current.perform {
      start.value = taskTime()
      RunLoop.current.perform { gap.value = taskTime() - start.value }.after(.milliseconds(milliseconds))
    }.after(.seconds(1))
    RunLoop.current.advance(by: .seconds(3))
    #expect(gap.value == .milliseconds(milliseconds))
  }

  @Test func eachEndOfADelayHasItsOwnPassAndALastPassFollows() {
    logActivities(log)
    RunLoop.current.perform { log("1") }.after(.seconds(1_000)).when(.currentLoopEnded)
    RunLoop.current.perform { log("2") }.after(.seconds(2_000)).when(.currentLoopEnded)
    RunLoop.current.perform { log("limit") }.within(.seconds(3_000)).when(.currentLoopEnded).forModes(.custom)
    RunLoop.current.advance(by: .seconds(4_000))
    let first = ["entry", "beforeWaiting", "1", "afterWaiting", "exit"]
    #expect(log.events == first + first.map { $0 == "1" ? "2" : $0 } + Self.pass + Self.pass)
  }

  @Test func theEndOfAnIntervalHasAPassOfItsOwn() {
    RunLoop.current.perform {}.coalesced(by: 1, atMostEvery: .seconds(3_000))
    RunLoop.current.runPass()
    logActivities(log)
    RunLoop.current.perform { log("latest") }.coalesced(by: 1, atMostEvery: .seconds(3_000))
    RunLoop.current.advance(by: .seconds(4_000))
    #expect(log.events.filter { $0 == "latest" }.count == 1)
    // The interval of the key and the delay of the task end at the same time.
    #expect(log.events.filter { $0 == "entry" }.count == 2)
  }

  @Test func foundationsTimersAndDatesDoNotChange() {
    let timer = Timer(fire: Date(timeIntervalSinceNow: 1_000), interval: 0, repeats: false) { _ in log("timer") }
    RunLoop.current.add(timer, forMode: .default)
    let before = Date()
    RunLoop.current.advance(by: .seconds(100_000))
    log("\(Date().timeIntervalSince(before) < 50_000)")
    timer.invalidate()
    #expect(log.events == ["true"])
  }

  @Test func delaysOfOtherThreadsCountFromTheAdvancedTime() {
    let queue = RunLoop.current.taskQueue
    RunLoop.current.advance(by: .seconds(1_000))
    elsewhere { queue.perform(after: .seconds(3_000)) { log("task") } }
    log("\(RunLoop.current.advance(by: .seconds(2_000)))")
    log("\(RunLoop.current.advance(by: .seconds(2_000)))")
    #expect(log.events == ["false", "task", "true"])
  }

  @Test func delaysAfterwardsPassInRealTime() {
    RunLoop.current.perform { log("task") }.after(.milliseconds(5) + .seconds(1_000))
    RunLoop.current.advance(by: .seconds(1_000))
    RunLoop.current.perform { log("second") }.after(.milliseconds(50))
    run()
    #expect(log.events == ["task", "second"])
  }

  @Test func advanceWorksInAModeThatWasNeverUsed() {
    RunLoop.current.perform { log("task") }.after(.seconds(1_000))
    log("\(RunLoop.current.advance(by: .seconds(2_000), mode: .other))")
    log("\(RunLoop.current.runPass())")
    #expect(log.events == ["false", "task", "true"])
  }

  @Test func aTaskMayAdvanceTime() {
    RunLoop.current.perform {
      log("{")
      RunLoop.current.advance(by: .seconds(5_000))
      log("}")
    }.after(.seconds(1_000))
    RunLoop.current.perform { log("inner") }.after(.seconds(4_000))
    RunLoop.current.perform { log("outer") }.after(.seconds(8_000))
    RunLoop.current.advance(by: .seconds(9_000))
    #expect(log.events == ["{", "inner", "}", "outer"])
  }
}
