import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// `RunLoop.runPass`.
@Suite(.onOwnLoop) struct RunPassTests {
  let log = Log()

  @Test(arguments: [RunLoop.Mode.default, .custom])
  func aPassHasEachActivityOnceAndRunsTheTimingsInOrder(mode: RunLoop.Mode) {
    for timing in [RunLoopTask.Timing.idle, .nextLoopBegan, .currentLoopEnded] {
      RunLoop.current.perform { log("\(timing)") }.when(timing).forModes(mode)
    }
    logActivities(log, in: mode)
    log("\(RunLoop.current.runPass(mode: mode))")
    log("\(RunLoop.current.runPass(mode: mode))")
    let pass = ["entry", "beforeWaiting", "currentLoopEnded", "afterWaiting", "nextLoopBegan", "exit", "idle", "true"]
    #expect(log.events == pass + emptyPass + ["false"])
  }

  @Test func aPassServesSourcesTimersAndBlocksBeforeItWaits() {
    let source = Source {
      log("source")
      RunLoop.current.perform { log("of source") }.when(.currentLoopEnded)
    }
    source.signal()
    addTimer {
      log("timer")
      RunLoop.current.perform { log("of timer") }.when(.currentLoopEnded)
    }
    RunLoop.current.perform { log("block") }
    logActivities(log)
    RunLoop.current.runPass()
    #expect(
      log.events == [
        "entry", "block", "source", "timer", "beforeWaiting", "of source", "of timer", "afterWaiting", "exit",
      ])
  }

  /// On Apple's platforms a kernel thread sends a message for a due timer, which may arrive late.
  @Test func eachOfAThousandPassesServesATimerThatIsDueNow() {
    let served = Counter()
    for number in 1...1_000 where served.value == number - 1 {
      addTimer { served.count() }
      RunLoop.current.runPass()
    }
    #expect(served.value == 1_000)
  }

  @Test func aPassServesATimerAfterAWakeUp() {
    keepAlive(.default)
    observeOnce(.beforeTimers) {
      CFRunLoopWakeUp(CFRunLoopGetCurrent())
      addTimer { log("timer") }
    }
    observe(.beforeWaiting) { log("\($0)") }
    RunLoop.current.runPass()
    #expect(log.events == ["timer", "beforeWaiting"])
  }

  @Test(arguments: [true, false]) func aPassDoesNotWaitForATimerThatIsNotDue(hasTimer: Bool) {
    if hasTimer { addTimer(after: 1_000) { log("timer") } }
    logActivities(log)
    RunLoop.current.runPass()
    #expect(log.events == emptyPass)
  }

  @Test func aPassServesASourceUntilItIsNoLongerSignalled() {
    var (source, left): (Source?, Int) = (nil, 40)
    source = Source {
      log("\(left)")
      left -= 1
      if left > 0 { source?.signal() }
    }
    source?.signal()
    logActivities(log)
    RunLoop.current.runPass()
    source?.remove()
    #expect(log.events == ["entry"] + (1...40).reversed().map { "\($0)" } + ["beforeWaiting", "afterWaiting", "exit"])
  }

  @Test func aPassEndsAlthoughASourceAlwaysSignalsItself() {
    var source: Source?
    source = Source { source?.signal() }
    source?.signal()
    RunLoop.current.perform {}.when(.currentLoopEnded)
    #expect(RunLoop.current.runPass())
    source = nil
    #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))  // A pass leaves nothing in the mode.
  }

  @Test func aPassEndsAlthoughATimerIsAlwaysDue() {
    // A shorter interval may count as zero: a tick of the clock is 42 ns on Apple's processors.
    let timer = Timer(fire: .distantPast, interval: 1e-5, repeats: true) { _ in }
    RunLoop.current.add(timer, forMode: .default)
    RunLoop.current.perform {}.when(.currentLoopEnded)
    #expect(RunLoop.current.runPass())
    timer.invalidate()
  }
}
