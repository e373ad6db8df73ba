import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Testing

/// `RunLoop.advance`.
@Suite(.onOwnLoop) struct AdvanceTests {
  let log = Log()

  /// The task clock is stopped while the delays begin, and no delay ends before time is advanced. So the test does not
  /// depend on the machine's speed.
  @Test func delaysEndExactlyAndInTheirOrder() {
    let (ends, start) = (Box<[Duration]>([]), Box(Duration.zero))
    atOneMoment {
      start.value = taskTime()
      for seconds in [300, 1_000, 299, 301, 60] {
        RunLoop.current.perform { ends.add([taskTime() - start.value]) }.after(.seconds(seconds))
      }
    }
    RunLoop.current.advance(by: .seconds(2_000))
    #expect(ends.value == [60, 299, 300, 301, 1_000].map { .seconds($0) })
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

  /// Each task runs at the activity of its timing.
  @Test func eachEndOfADelayHasAPassBetweenAFirstAndALastOne() {
    logActivities(log)
    RunLoop.current.perform { log("1") }.after(.seconds(1_000)).when(.currentLoopEnded)
    RunLoop.current.perform { log("2") }.after(.seconds(2_000)).when(.nextLoopBegan)
    RunLoop.current.perform { log("3") }.after(.seconds(2_500)).when(.idle)
    RunLoop.current.perform { log("limit") }.within(.seconds(3_000)).when(.currentLoopEnded).forModes(.custom)
    RunLoop.current.advance(by: .seconds(4_000))
    let first = ["entry", "beforeWaiting", "1", "afterWaiting", "exit"]
    let second = ["entry", "beforeWaiting", "afterWaiting", "2", "exit"]
    #expect(log.events == emptyPass + first + second + first.map { $0 == "1" ? "3" : $0 } + emptyPass + emptyPass)
  }

  @Test func whatIsInLineRunsBeforeTheTimeMoves() {
    RunLoop.current.perform { RunLoop.current.perform { log("task") }.after(.seconds(1_000)) }
    RunLoop.current.advance(by: .seconds(1_500))
    #expect(log.events == ["task"])
  }

  /// Also on a machine that is late.
  @Test func aHeartbeatBeatsOnceAnInterval() {
    let beats = Counter()
    @Sendable func beat() {
      beats.count()
      RunLoop.current.perform { beat() }.after(.seconds(10))
    }
    RunLoop.current.perform { beat() }
    stopClock(after: .seconds(15))
    letClockRun()
    RunLoop.current.advance(by: .seconds(10_000))
    #expect(beats.value == 1_001)
  }

  @Test func foundationsTimersAndDatesDoNotChange() {
    addTimer(after: 1_000) { log("timer") }
    let before = Date()
    RunLoop.current.advance(by: .seconds(100_000))
    log("\(Date().timeIntervalSince(before) < 50_000)")
    #expect(log.events == ["true"])
  }

  @Test func delaysAfterwardsPassInRealTime() {
    RunLoop.current.perform { log("task") }.after(.milliseconds(5) + .seconds(1_000))
    RunLoop.current.advance(by: .seconds(1_000))
    RunLoop.current.perform { log("second") }.after(.milliseconds(50))
    run()
    #expect(log.events == ["task", "second"])
  }

  private static let centuries = [Duration.seconds(Int64.max), .seconds(1e10), .nanoseconds(Int64.max)]

  @Test(arguments: centuries) func timeAdvancesByAHundredYearsAtMost(duration: Duration) {
    let start = taskTime()
    RunLoop.current.perform { log("30 years") }.after(.seconds(1e9))
    RunLoop.current.perform { log("120 years") }.after(.seconds(120 * 365.25 * 86_400))
    for _ in 1...3 { log("\(RunLoop.current.advance(by: duration))") }
    #expect(log.events == ["30 years", "true", "false", "false"])
    let years = (taskTime() - start) / .seconds(365.25 * 86_400)
    #expect((99.9...100.1).contains(years))
  }

  @Test func afterAHundredYearsAllGoesOnAsEver() {
    RunLoop.current.advance(by: .seconds(Int64.max))
    // An observer that schedules in each pass makes the loop back off, and sleep until a date.
    observeNumbered(.beforeWaiting) { if $0 <= 8 { RunLoop.current.perform {}.when(.currentLoopEnded) } }
    RunLoop.current.perform { log.andStop("idle") }.when(.idle)
    run()
    RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
    RunLoop.current.perform { log("order") }.when(.currentLoopEnded).order(-1)
    for number in 1...2 {
      RunLoop.current.perform { log("throttled \(number)") }
        .when(.currentLoopEnded).coalesced(by: 1, atMostEvery: .milliseconds(20))
      poll()
    }
    RunLoop.current.perform { log("delayed") }.after(.milliseconds(10))
    RunLoop.current.perform { log("limited") }.after(.seconds(9)).within(.milliseconds(30))
    #expect(log.events == ["idle", "order", "ended", "throttled 1"])
    run()
    #expect(Set(log.events.dropFirst(4)) == ["delayed", "throttled 2", "limited"] && log.events.count == 7)
  }

  @Test func theClockStandsStillThroughoutAPass() {
    let clock = RunLoop.current.taskQueue.clock
    var times: [RunLoopClock.Instant] = []
    observe([.beforeWaiting, .afterWaiting]) { _ in times.append(clock.now) }
    RunLoop.current.advance(by: .seconds(1))
    #expect(times.count >= 4)
    for index in stride(from: 0, to: times.count, by: 2) { #expect(times[index] == times[index + 1]) }
  }
}
