import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// `RunLoop.runPass`.
@Suite(.onOwnLoop) struct RunPassTests {
  let log = Log()

  @Test func aPassHasEachActivityOnce() {
    logActivities(log)
    #expect(!RunLoop.current.runPass())
    #expect(log.events == ["entry", "beforeWaiting", "afterWaiting", "exit"])
  }

  @Test(arguments: [RunLoop.Mode.default, .custom])
  func aPassRunsTheTimingsInOrder(mode: RunLoop.Mode) {
    for timing in [RunLoopTask.Timing.idle, .nextLoopBegan, .currentLoopEnded] {
      RunLoop.current.perform { log("\(timing)") }.when(timing).forModes(mode)
    }
    log("\(RunLoop.current.runPass(mode: mode))")
    log("\(RunLoop.current.runPass(mode: mode))")
    #expect(log.events == ["currentLoopEnded", "nextLoopBegan", "idle", "true", "false"])
  }

  @Test func aPassServesSourcesTimersAndBlocksBeforeItWaits() {
    let source = Source {
      log("source")
      RunLoop.current.perform { log("of source") }.when(.currentLoopEnded)
    }
    source.signal()
    let timer = Timer(fire: .distantPast, interval: 0, repeats: false) { _ in
      log("timer")
      RunLoop.current.perform { log("of timer") }.when(.currentLoopEnded)
    }
    RunLoop.current.add(timer, forMode: .default)
    RunLoop.current.perform { log("block") }
    logActivities(log)
    RunLoop.current.runPass()
    #expect(
      log.events == [
        "entry", "block", "source", "timer", "beforeWaiting", "of source", "of timer", "afterWaiting", "exit",
      ])
  }

  @Test func aPassServesATimerAfterAWakeUp() {
    keepAlive(.default)
    var isAdded = false
    observe(.beforeTimers) { _ in
      guard !isAdded else { return }
      isAdded = true
      CFRunLoopWakeUp(CFRunLoopGetCurrent())
      let timer = Timer(fire: .distantPast, interval: 0, repeats: false) { _ in log("timer") }
      RunLoop.current.add(timer, forMode: .default)
    }
    observe(.beforeWaiting) { log($0.name) }
    RunLoop.current.runPass()
    #expect(log.events == ["timer", "beforeWaiting"])
  }

  @Test func aPassDoesNotWaitForATimerThatIsNotDue() {
    let timer = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in log("timer") }
    RunLoop.current.add(timer, forMode: .default)
    logActivities(log)
    RunLoop.current.runPass()
    timer.invalidate()
    #expect(log.events == ["entry", "beforeWaiting", "afterWaiting", "exit"])
  }

  @Test func aPassServesASourceUntilItIsNoLongerSignalled() {
    var (source, left): (Source?, Int) = (nil, 4)
    source = Source {
      log("\(left)")
      left -= 1
      if left > 0 { source?.signal() }
    }
    source?.signal()
    logActivities(log)
    RunLoop.current.runPass()
    source?.remove()
    #expect(log.events == ["entry", "4", "3", "2", "1", "beforeWaiting", "afterWaiting", "exit"])
  }

  @Test func aPassEndsAlthoughASourceAlwaysSignalsItself() {
    var source: Source?
    source = Source { source?.signal() }
    source?.signal()
    RunLoop.current.perform {}.when(.currentLoopEnded)
    #expect(RunLoop.current.runPass())
    source = nil
    #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
  }

  @Test func aPassEndsAlthoughATimerIsAlwaysDue() {
    // A shorter interval may count as zero: a tick of the clock is 42 ns on Apple's processors.
    let timer = Timer(fire: .distantPast, interval: 1e-5, repeats: true) { _ in }
    RunLoop.current.add(timer, forMode: .default)
    RunLoop.current.perform {}.when(.currentLoopEnded)
    #expect(RunLoop.current.runPass())
    timer.invalidate()
  }

  @Test(arguments: [true, false]) func withoutADueTimerAPassChecksTwice(hasTimer: Bool) {
    let timer = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
    if hasTimer { RunLoop.current.add(timer, forMode: .default) }
    var checks = 0
    observe(.beforeTimers) { _ in checks += 1 }
    RunLoop.current.runPass()
    timer.invalidate()
    #expect(checks == 2)
  }

  @Test func aPassLeavesNothingInTheMode() {
    RunLoop.current.runPass()
    #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
  }
}
