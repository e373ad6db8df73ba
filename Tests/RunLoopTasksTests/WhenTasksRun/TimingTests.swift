import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 3: the table of timings.
@Suite struct TimingTests {
  @Test func endedRunsBeforeWaiting() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
      run()
    }
    #expect(events == ["entry", "beforeWaiting", "task", "afterWaiting", "exit"])
  }

  @Test func endedRunsAtExitOfARunThatNeverWaits() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
      poll()
    }
    #expect(events == ["entry", "exit", "task"])
  }

  @Test func endedRunsAtExitOfARunThatHandledASource() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      let source = Source {
        log("source")
        RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
      }
      source.signal()
      _ = RunLoop.current.run(mode: .default, before: .distantFuture)
    }
    #expect(events == ["entry", "source", "exit", "task"])
  }

  @Test func beganRunsAfterWaiting() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      RunLoop.current.perform { log("task") }.when(.nextLoopBegan)
      run()
    }
    #expect(events == ["entry", "beforeWaiting", "afterWaiting", "task", "exit"])
  }

  @Test func beganIsTheDefaultTiming() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      let task: RunLoopTask = RunLoop.current.perform { log("task") }
      withExtendedLifetime(task) { run() }
    }
    #expect(events == ["entry", "beforeWaiting", "afterWaiting", "task", "exit"])
  }

  @Test func beganRunsAtEntryOnceARunWasLeftWithoutSleeping() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      RunLoop.current.perform { log("task") }.when(.nextLoopBegan)
      poll()
      poll()
    }
    #expect(events == ["entry", "exit", "entry", "task", "exit"])
  }

  @Test func beganRunsAtEntryIfTheRunUnderWayAtItsSchedulingIsLeft() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      let source = Source { RunLoop.current.perform { log("task") }.when(.nextLoopBegan) }
      source.signal()
      _ = RunLoop.current.run(mode: .default, before: .distantFuture)
      source.remove()
      run()
    }
    #expect(events == ["entry", "exit", "entry", "task", "beforeWaiting", "afterWaiting", "exit"])
  }

  @Test(arguments: [Order.first, Order.frame])
  func beganScheduledAtExitCountsAsLeftByThatRun(order: Int) {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      RunLoop.current.perform {}.when(.idle)
      var isScheduled = false
      observe(.exit, order: order) { _ in
        guard !isScheduled else { return }
        isScheduled = true
        RunLoop.current.perform { log("task") }.when(.nextLoopBegan)
      }
      logActivities(log)
      poll()
      log("left")
      poll()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["entry", "exit", "left", "entry", "task", "exit"])
  }

  @Test func beganForTheCommonModesCountsAsLeftInEachOfThem() {
    let events = eventsOnLoopThread { log in
      CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), RunLoop.Mode.custom.cfMode)
      let keepAlive = ModeHolder(.custom)
      RunLoop.current.perform { log("custom") }.when(.nextLoopBegan).forModes(.custom)
      var isScheduled = false
      observe(.exit, in: .custom, order: Order.frame) { _ in
        guard !isScheduled else { return }
        isScheduled = true
        RunLoop.current.perform { log("common") }.when(.nextLoopBegan).forModes(.common)
      }
      poll(.custom)
      poll(.custom)
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["custom", "common"])
  }

  @Test func whatWasNotLeftDoesNotRunAtEntryWithWhatWas() {
    let events = eventsOnLoopThread { log in
      for number in 1...2 { RunLoop.current.perform { log("left \(number)") }.when(.nextLoopBegan) }
      poll()
      for number in 1...2 { RunLoop.current.perform { log("new \(number)") }.when(.nextLoopBegan) }
      logActivities(log)
      run()
    }
    #expect(
      events == ["entry", "left 1", "left 2", "beforeWaiting", "afterWaiting", "new 1", "new 2", "exit"])
  }

  @Test func beganIsNotStrandedByARunInAnotherMode() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder(.custom)
      RunLoop.current.perform { log("task") }.when(.nextLoopBegan)
      poll(.custom)
      logActivities(log)
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["entry", "beforeWaiting", "afterWaiting", "task", "exit"])
  }

  @Test func idleRunsAtExit() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      RunLoop.current.perform { log("task") }.when(.idle)
      poll()
    }
    #expect(events == ["entry", "exit", "task"])
  }

  @Test func idleRunsBeforeWaitingIfNothingElseIsToBeDone() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      RunLoop.current.perform { log("task") }.when(.idle)
      run()
    }
    #expect(events == ["entry", "beforeWaiting", "task", "afterWaiting", "exit"])
  }

  /// The next of a chain runs in the next pass, not after a time: nothing here gives the loop another reason to wake.
  @Test func aChainOfIdleTasksIsNotSleptOn() {
    let sleepsForATime = onLoopThread {
      let left = Box(12)
      @Sendable func goOn() {
        left.value -= 1
        if left.value > 0 { RunLoop.current.perform { goOn() }.when(.idle) } else { stopRun() }
      }
      let keepAlive = ModeHolder()
      goOn()
      let sleeps = Box<[Bool]>([])
      // A timer that the package sets to wake the loop later is the only one in the mode.
      observe(.beforeWaiting, order: Order.last) { _ in
        let date = CFRunLoopGetNextTimerFireDate(CFRunLoopGetCurrent(), RunLoop.Mode.default.cfMode)
        sleeps.value.append(date > CFAbsoluteTimeGetCurrent())
      }
      run()
      withExtendedLifetime(keepAlive) {}
      return sleeps.value.filter { $0 }.count
    }
    #expect(sleepsForATime == 0)
  }

  @Test func idleWaitsForAPassWithoutOtherTasks() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      logActivities(log)
      RunLoop.current.perform {
        log("idle")
        stopRun()
      }.when(.idle)
      RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(
      events == [
        "entry", "beforeWaiting", "ended", "afterWaiting", "beforeWaiting", "idle", "afterWaiting", "exit",
      ])
  }

  @Test func idleWaitsWhileABeganTaskIsPending() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      logActivities(log)
      RunLoop.current.perform {
        log("idle")
        stopRun()
      }.when(.idle)
      RunLoop.current.perform { log("began") }.when(.nextLoopBegan)
      run()
      withExtendedLifetime(keepAlive) {}
    }
    // The began task counts for the pass that it began.
    #expect(
      events == [
        "entry", "beforeWaiting", "afterWaiting", "began", "beforeWaiting", "afterWaiting", "beforeWaiting", "idle",
        "afterWaiting", "exit",
      ])
  }

  @Test func idleWaitsIfATaskRanAtTheEntryOfThePass() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("began") }.when(.nextLoopBegan)
      poll()
      logActivities(log)
      RunLoop.current.perform { log("idle") }.when(.idle)
      run()
    }
    #expect(
      events == [
        "entry", "began", "beforeWaiting", "afterWaiting", "beforeWaiting", "idle", "afterWaiting", "exit",
      ])
  }

  @Test func idleDoesNotWaitForTheTasksOfAnEarlierPass() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      logActivities(log)
      RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
      observe(.afterWaiting, order: Order.frame) { _ in
        RunLoop.current.perform {
          log("idle")
          stopRun()
        }.when(.idle)
      }
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(
      events.prefix(7) == ["entry", "beforeWaiting", "ended", "afterWaiting", "beforeWaiting", "idle", "afterWaiting"])
  }

  @Test(arguments: [RunLoop.Mode.custom, .common], [RunLoopTask.Timing.currentLoopEnded, .nextLoopBegan])
  func aTaskOfAnotherModeDoesNotHoldIdleBack(mode: RunLoop.Mode, timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      logActivities(log, in: .other)
      RunLoop.current.perform { log("other") }.when(timing).forModes(mode)
      RunLoop.current.perform { log("idle") }.when(.idle).forModes(.other)
      run(.other)
    }
    #expect(events == ["entry", "beforeWaiting", "idle", "afterWaiting", "exit"])
  }

  /// A run that is nested in what is no task, and whose mode then rests.
  @Test func idleWaitsIfATaskRanBeforeALongNestedRun() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder(.custom)
      RunLoop.current.perform {}.when(.currentLoopEnded).forModes(.custom)
      RunLoop.current.runPass(mode: .custom)
      let source = Source { for _ in 1...10 { RunLoop.current.runPass(mode: .custom) } }
      RunLoop.current.perform { source.signal() }.when(.nextLoopBegan)
      RunLoop.current.perform {
        log("idle")
        stopRun()
      }.when(.idle)
      logActivities(log)
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(
      events == [
        "entry", "beforeWaiting", "afterWaiting", "beforeWaiting", "afterWaiting", "beforeWaiting", "idle",
        "afterWaiting", "exit",
      ])
  }

  @Test func whatANestedRunDoesIsNotInThePassOfTheOuterOne() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      RunLoop.current.perform {
        log("idle"); stopRun()
      }.when(.idle)
      RunLoop.current.perform {}.forModes(.custom)
      let source = Source {
        RunLoop.current.perform { log("nested") }.when(.currentLoopEnded).forModes(.custom)
        RunLoop.current.runPass(mode: .custom)
      }
      source.signal()
      logActivities(log)
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["entry", "nested", "beforeWaiting", "idle", "afterWaiting", "exit"])
  }

  @Test func theTimingsOfOnePass() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("idle") }.when(.idle)
      RunLoop.current.perform { log("began") }.when(.nextLoopBegan)
      RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
      logActivities(log)
      RunLoop.current.runPass()
    }
    #expect(events == ["entry", "beforeWaiting", "ended", "afterWaiting", "began", "exit", "idle"])
  }
}
