import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// An `.idle` task runs before the loop sleeps only in a pass without other tasks.
@Suite struct IdleTests {
  @Test(arguments: [
    (
      RunLoopTask.Timing.currentLoopEnded,
      ["entry", "beforeWaiting", "other", "afterWaiting", "beforeWaiting", "idle", "afterWaiting", "exit"]
    ),
    // A `.nextLoopBegan` task belongs to the pass that begins with it.
    (
      .nextLoopBegan,
      [
        "entry", "beforeWaiting", "afterWaiting", "other", "beforeWaiting", "afterWaiting", "beforeWaiting", "idle",
        "afterWaiting", "exit",
      ]
    ),
  ])
  func anIdleTaskWaitsForAPassWithoutOtherTasks(timing: RunLoopTask.Timing, expected: [String]) {
    let events = eventsOnLoopThread(keepingAlive: [.default]) { log in
      logActivities(log)
      RunLoop.current.perform { log.andStop("idle") }.when(.idle)
      RunLoop.current.perform { log("other") }.when(timing)
      run()
    }
    #expect(events == expected)
  }

  @Test func anIdleTaskWaitsWhileTasksScheduleOtherTasks() {
    let events = eventsOnLoopThread(keepingAlive: [.default]) { log in
      RunLoop.current.perform { log.andStop("idle") }.when(.idle)
      RunLoop.current.perform {
        log("began")
        RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
      }.when(.nextLoopBegan)
      run()
    }
    #expect(events == ["began", "ended", "idle"])
  }

  @Test func anIdleTaskWaitsIfATaskRanAtTheEntryOfThePass() {
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

  @Test func anIdleTaskDoesNotWaitForTheTasksOfAnEarlierPass() {
    let events = eventsOnLoopThread(keepingAlive: [.default]) { log in
      logActivities(log)
      RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
      observe(.afterWaiting, order: Order.frame) { _ in
        RunLoop.current.perform { log.andStop("idle") }.when(.idle)
      }
      run()
    }
    #expect(
      events.prefix(7) == ["entry", "beforeWaiting", "ended", "afterWaiting", "beforeWaiting", "idle", "afterWaiting"])
  }

  @Test(arguments: [RunLoop.Mode.custom, .common], [RunLoopTask.Timing.currentLoopEnded, .nextLoopBegan])
  func anIdleTaskDoesNotWaitForTasksOfOtherModes(mode: RunLoop.Mode, timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      logActivities(log, in: .other)
      RunLoop.current.perform { log("other") }.when(timing).forModes(mode)
      RunLoop.current.perform { log("idle") }.when(.idle).forModes(.other)
      run(.other)
    }
    #expect(events == ["entry", "beforeWaiting", "idle", "afterWaiting", "exit"])
  }

  /// A source runs the nested passes, so no task is under way.
  @Test func anIdleTaskWaitsIfATaskRanBeforeNestedPasses() {
    let events = eventsOnLoopThread(keepingAlive: [.custom]) { log in
      RunLoop.current.perform {}.when(.currentLoopEnded).forModes(.custom)
      RunLoop.current.runPass(mode: .custom)
      let source = Source { runEmptyPasses(.custom) }
      RunLoop.current.perform { source.signal() }.when(.nextLoopBegan)
      RunLoop.current.perform { log.andStop("idle") }.when(.idle)
      logActivities(log)
      run()
    }
    #expect(
      events == [
        "entry", "beforeWaiting", "afterWaiting", "beforeWaiting", "afterWaiting", "beforeWaiting", "idle",
        "afterWaiting", "exit",
      ])
  }

  /// A source of the pass runs the nested passes and then schedules the idle task.
  @Test func anIdleTaskScheduledAfterNestedPassesWaitsIfATaskRanBefore() {
    let events = eventsOnLoopThread { log in
      let source = Box<RunLoopSource<Int>?>(nil)
      source.value = RunLoopSource { _ in
        runEmptyPasses()
        log("scheduled")
        RunLoop.current.perform { log.andStop("idle") }.when(.idle)
      }
      RunLoop.current.add(source.value!, forMode: .default)
      // The source performs in the pass that begins with the task.
      observeOnce(.afterWaiting, order: Order.frame) { source.value!.send(1) }
      RunLoop.current.perform { log("began") }.when(.nextLoopBegan)
      observe(.beforeWaiting, order: Order.frame) { _ in log("frame") }
      run()
      source.value!.invalidate()
      source.value = nil
    }
    #expect(events.drop { $0 != "scheduled" } == ["scheduled", "frame", "idle", "frame"])
  }

  @Test func aTaskOfANestedRunDoesNotCountForTheOuterPass() {
    let events = eventsOnLoopThread(keepingAlive: [.default]) { log in
      RunLoop.current.perform { log.andStop("idle") }.when(.idle)
      RunLoop.current.perform {}.forModes(.custom)
      let source = Source {
        RunLoop.current.perform { log("nested") }.when(.currentLoopEnded).forModes(.custom)
        RunLoop.current.runPass(mode: .custom)
      }
      source.signal()
      logActivities(log)
      run()
    }
    #expect(events == ["entry", "nested", "beforeWaiting", "idle", "afterWaiting", "exit"])
  }

  /// The task is then due at any activity, also at the one under way.
  @Test func anIdleTaskWhoseLimitPassesDuringTheBatchRunsInItsPlace() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      RunLoop.current.perform {
        log("first")
        RunLoop.current.advance(by: .seconds(10), mode: .custom)
      }.when(.idle)
      RunLoop.current.perform { log("limited") }.when(.idle).within(.seconds(10))
      run()
    }
    #expect(events == ["entry", "beforeWaiting", "first", "limited", "afterWaiting", "exit"])
  }

  /// The next task of a chain runs in the next pass. Nothing else wakes the loop here.
  @Test func aChainOfIdleTasksNeedsNoTimer() {
    let sleepsWithATimer = onLoopThread {
      let left = Box(12)
      @Sendable func goOn() {
        left.value -= 1
        if left.value > 0 { RunLoop.current.perform { goOn() }.when(.idle) } else { stopRun() }
      }
      let keepAlive = ModeHolder()
      goOn()
      let sleeps = Box<[Bool]>([])
      // The only timer that the mode can have is one of the package.
      observe(.beforeWaiting, order: Order.last) { _ in
        let date = CFRunLoopGetNextTimerFireDate(CFRunLoopGetCurrent(), RunLoop.Mode.default.cf)
        sleeps.value.append(date > CFAbsoluteTimeGetCurrent())
      }
      run()
      withExtendedLifetime(keepAlive) {}
      return sleeps.value.filter { $0 }.count
    }
    #expect(sleepsWithATimer == 0)
  }
}
