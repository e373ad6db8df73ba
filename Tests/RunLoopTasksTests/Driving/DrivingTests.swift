import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 6: driving a loop by hand.
@Suite struct DrivingTests {
  // MARK: runPass

  @Test func aPassTouchesEveryActivityOnce() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      #expect(!RunLoop.current.runPass())
    }
    #expect(events == ["entry", "beforeWaiting", "afterWaiting", "exit"])
  }

  @Test(arguments: [RunLoop.Mode.default, .custom])
  func aPassRunsTheTimingsInOrder(mode: RunLoop.Mode) {
    let events = eventsOnLoopThread { log in
      for timing in [RunLoopTask.Timing.idle, .nextLoopBegan, .currentLoopEnded] {
        RunLoop.current.perform { log("\(timing)") }.when(timing).forModes(mode)
      }
      log("\(RunLoop.current.runPass(mode: mode))")
      log("\(RunLoop.current.runPass(mode: mode))")
    }
    #expect(events == ["currentLoopEnded", "nextLoopBegan", "idle", "true", "false"])
  }

  @Test func aPassServesWhatIsReadyBeforeItWaits() {
    let events = eventsOnLoopThread { log in
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
    }
    #expect(
      events == [
        "entry", "block", "source", "timer", "beforeWaiting", "of source", "of timer", "afterWaiting", "exit",
      ])
  }

  @Test func aTimerIsServedBehindAWakeUp() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
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
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["timer", "beforeWaiting"])
  }

  @Test func aRunNestedInWhatIsReadyHasNothingToStayFor() {
    let events = eventsOnLoopThread { log in
      var source: Source?
      source = Source {
        source?.remove()
        log("{")
        run()
        log("}")
      }
      source?.signal()
      logActivities(log)
      RunLoop.current.runPass()
    }
    #expect(
      events == [
        "entry", "{", "entry", "beforeWaiting", "afterWaiting", "exit", "}", "beforeWaiting", "afterWaiting", "exit",
      ])
  }

  @Test func aPassDoesNotWaitForATimerThatIsNotDue() {
    let events = eventsOnLoopThread { log in
      let timer = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in log("timer") }
      RunLoop.current.add(timer, forMode: .default)
      logActivities(log)
      RunLoop.current.runPass()
      timer.invalidate()
    }
    #expect(events == ["entry", "beforeWaiting", "afterWaiting", "exit"])
  }

  @Test func aPassEndsThoughASourceSignalsItselfForever() {
    onLoopThread {
      var source: Source?
      source = Source { source?.signal() }
      source?.signal()
      RunLoop.current.perform {}.when(.currentLoopEnded)
      #expect(RunLoop.current.runPass())
      source = nil
      #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
    }
  }

  @Test func aPassEndsThoughATimerIsAlwaysDue() {
    onLoopThread {
      // A shorter interval may be none at all: a tick of the clock is 42 nanoseconds on Apple's processors.
      let timer = Timer(fire: .distantPast, interval: 1e-5, repeats: true) { _ in }
      RunLoop.current.add(timer, forMode: .default)
      RunLoop.current.perform {}.when(.currentLoopEnded)
      #expect(RunLoop.current.runPass())
      timer.invalidate()
    }
  }

  @Test func aPassWaitsUntilSourcesHaveComeToRest() {
    let events = eventsOnLoopThread { log in
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
    }
    #expect(events == ["entry", "4", "3", "2", "1", "beforeWaiting", "afterWaiting", "exit"])
  }

  @Test func aRunThatPollsInAPassLeavesItAsItWas() {
    let events = eventsOnLoopThread { log in
      let source = Source { poll() }
      source.signal()
      observe([.beforeWaiting, .afterWaiting]) { log($0.name) }
      RunLoop.current.runPass()
      source.remove()
    }
    #expect(events == ["beforeWaiting", "afterWaiting"])
  }

  @Test func runsNestedInAPassHaveNothingToStayFor() {
    let events = eventsOnLoopThread { log in
      let source = Box<RunLoopSource<Int>?>(nil)
      source.value = RunLoopSource { _ in
        source.value!.invalidate()
        RunLoop.current.perform {
          poll()
          log("{")
        }.when(.currentLoopEnded)
        run()
        log("}")
      }
      RunLoop.current.add(source.value!, forMode: .default)
      source.value!.send(1)
      RunLoop.current.runPass()
    }
    #expect(events == ["{", "}"])
  }

  @Test func aRunIsNotKeptAliveByThePassBehindIt() {
    let events = eventsOnLoopThread { log in
      func pollNested() {
        let keepAlive = ModeHolder()  // a mode without anything is not entered
        poll()
        withExtendedLifetime(keepAlive) {}
      }
      var source: Source?
      source = Source {
        source?.remove()
        RunLoop.current.perform {
          pollNested()
          log("in the pass")
        }.when(.currentLoopEnded)
        run()
        RunLoop.current.perform {
          pollNested()
          log("at its end")
        }.when(.currentLoopEnded)
        RunLoop.current.perform {
          run()
          log("after it")
        }.when(.nextLoopBegan)
      }
      source?.signal()
      RunLoop.current.runPass()
    }
    #expect(events == ["in the pass", "at its end", "after it"])
  }

  /// A run that is entered in a pass is woken once, to look whether its mode is empty, and one at the end of the pass need not.
  @Test(arguments: [RunLoop.Activity.beforeSources, .beforeWaiting])
  func aRunNestedInAPassSleeps(activity: RunLoop.Activity) {
    let passes = onLoopThread {
      let keepAlive = ModeHolder()
      var (isNested, passes) = (false, 0)
      observe(activity, order: Order.app) { _ in
        guard !isNested else { return }
        isNested = true
        let timer = Timer(fire: Date(timeIntervalSinceNow: 0.005), interval: 0, repeats: false) { _ in stopRun() }
        RunLoop.current.add(timer, forMode: .default)
        let counting = observe(.beforeWaiting) { _ in passes += 1 }
        run()
        counting.invalidate()
      }
      RunLoop.current.runPass()
      withExtendedLifetime(keepAlive) {}
      return passes
    }
    // If the machine is busy, the timer may come before the wake-up.
    let mostPasses = (activity == .beforeWaiting ? 1 : 2) + passesOfACancelledTimer
    #expect((1...mostPasses).contains(passes))
  }

  @Test(arguments: [true, false]) func withoutATimerThatIsDueOneMoreLookIsEnough(hasTimer: Bool) {
    let looks = onLoopThread {
      let timer = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
      if hasTimer { RunLoop.current.add(timer, forMode: .default) }
      var looks = 0
      observe(.beforeTimers) { _ in looks += 1 }
      RunLoop.current.runPass()
      timer.invalidate()
      return looks
    }
    #expect(looks == 2)
  }

  @Test func aPassNestedInAPassIsItsOwn() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      RunLoop.current.perform {
        log("{")
        RunLoop.current.runPass()
        log("}")
      }.when(.currentLoopEnded)
      RunLoop.current.runPass()
    }
    #expect(
      events == [
        "entry", "beforeWaiting", "{", "entry", "beforeWaiting", "afterWaiting", "exit", "}", "afterWaiting", "exit",
      ])
  }

  @Test func aPassLeavesNoTraceOnTheLoop() {
    onLoopThread {
      RunLoop.current.runPass()
      #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
    }
  }

  // MARK: runUntilTasksFinish

  @Test func untilTasksFinishRunsAllAndWhatTheySchedule() {
    let events = eventsOnLoopThread { log in
      func task(_ left: Int) {
        log("\(left)")
        if left > 0 { RunLoop.current.perform { task(left - 1) }.when(RunLoopTask.Timing.allCases[left % 3]) }
      }
      RunLoop.current.perform { task(10) }.when(.idle)
      RunLoop.current.perform { log("custom") }.when(.idle).forModes(.custom)
      log("\(RunLoop.current.runUntilTasksFinish(timeout: .seconds(1_000)))")
    }
    #expect(events == (0...10).reversed().map { "\($0)" } + ["true"])
  }

  @Test func untilTasksFinishReturnsAtOnceWithNothingPending() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      #expect(RunLoop.current.runUntilTasksFinish())
    }
    #expect(events == [])
  }

  @Test func untilTasksFinishIsFalseAtTheTimeout() {
    onLoopThread {
      var count = 0
      func again() {
        count += 1
        RunLoop.current.perform(again).when(.nextLoopBegan)
      }
      RunLoop.current.perform(again).when(.nextLoopBegan)
      #expect(!RunLoop.current.runUntilTasksFinish(timeout: .zero))
      #expect(count == 1)
      #expect(!RunLoop.current.runUntilTasksFinish(timeout: .milliseconds(1)))
    }
  }

  @Test func untilTasksFinishWorksInAnyMode() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("custom") }.when(.idle).forModes(.custom)
      RunLoop.current.perform { log("common") }.when(.idle).forModes(.common)
      #expect(RunLoop.current.runUntilTasksFinish(mode: .custom))
      #expect(RunLoop.current.runUntilTasksFinish())
    }
    #expect(events == ["custom", "common"])
  }
}
