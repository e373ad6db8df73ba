import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// An `.idle` task runs before the loop sleeps only in a pass without other tasks.
@Suite(.onOwnLoop) struct IdleTests {
  let log = Log()

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
    keepAlive(.default)
    logActivities(log)
    RunLoop.current.perform { log.andStop("idle") }.when(.idle)
    RunLoop.current.perform { log("other") }.when(timing)
    run()
    #expect(log.events == expected)
  }

  @Test func anIdleTaskWaitsWhileTasksScheduleOtherTasks() {
    keepAlive(.default)
    RunLoop.current.perform { log.andStop("idle") }.when(.idle)
    RunLoop.current.perform {
      log("began")
      RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
    }.when(.nextLoopBegan)
    run()
    #expect(log.events == ["began", "ended", "idle"])
  }

  @Test func anIdleTaskWaitsIfATaskRanAtTheEntryOfThePass() {
    RunLoop.current.perform { log("began") }.when(.nextLoopBegan)
    poll()
    logActivities(log)
    RunLoop.current.perform { log("idle") }.when(.idle)
    run()
    #expect(
      log.events == [
        "entry", "began", "beforeWaiting", "afterWaiting", "beforeWaiting", "idle", "afterWaiting", "exit",
      ])
  }

  @Test func anIdleTaskDoesNotWaitForTheTasksOfAnEarlierPass() {
    keepAlive(.default)
    logActivities(log)
    RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
    observe(.afterWaiting, order: Order.frame) { _ in
      RunLoop.current.perform { log.andStop("idle") }.when(.idle)
    }
    run()
    #expect(
      log.events.prefix(7) == [
        "entry", "beforeWaiting", "ended", "afterWaiting", "beforeWaiting", "idle", "afterWaiting",
      ])
  }

  @Test(arguments: [RunLoop.Mode.custom, .common], [RunLoopTask.Timing.currentLoopEnded, .nextLoopBegan])
  func anIdleTaskDoesNotWaitForTasksOfOtherModes(mode: RunLoop.Mode, timing: RunLoopTask.Timing) {
    logActivities(log, in: .other)
    RunLoop.current.perform { log("other") }.when(timing).forModes(mode)
    RunLoop.current.perform { log("idle") }.when(.idle).forModes(.other)
    run(.other)
    #expect(log.events == ["entry", "beforeWaiting", "idle", "afterWaiting", "exit"])
  }

  /// A source runs the nested passes, so no task is under way.
  @Test func anIdleTaskWaitsIfATaskRanBeforeNestedPasses() {
    keepAlive(.custom)
    RunLoop.current.perform {}.when(.currentLoopEnded).forModes(.custom)
    RunLoop.current.runPass(mode: .custom)
    let source = Source { runEmptyPasses(.custom) }
    RunLoop.current.perform { source.signal() }.when(.nextLoopBegan)
    RunLoop.current.perform { log.andStop("idle") }.when(.idle)
    logActivities(log)
    run()
    #expect(
      log.events == [
        "entry", "beforeWaiting", "afterWaiting", "beforeWaiting", "afterWaiting", "beforeWaiting", "idle",
        "afterWaiting", "exit",
      ])
  }

  /// A source of the pass runs the nested passes and then schedules the idle task.
  @Test func anIdleTaskScheduledAfterNestedPassesWaitsIfATaskRanBefore() {
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
    #expect(log.events.drop { $0 != "scheduled" } == ["scheduled", "frame", "idle", "frame"])
  }

  @Test func aTaskOfANestedRunDoesNotCountForTheOuterPass() {
    keepAlive(.default)
    RunLoop.current.perform { log.andStop("idle") }.when(.idle)
    RunLoop.current.perform {}.forModes(.custom)
    let source = Source {
      RunLoop.current.perform { log("nested") }.when(.currentLoopEnded).forModes(.custom)
      RunLoop.current.runPass(mode: .custom)
    }
    source.signal()
    logActivities(log)
    run()
    #expect(log.events == ["entry", "nested", "beforeWaiting", "idle", "afterWaiting", "exit"])
  }

  /// The task is then due at any activity, also at the one under way.
  @Test func anIdleTaskWhoseLimitPassesDuringTheBatchRunsInItsPlace() {
    logActivities(log)
    RunLoop.current.perform {
      log("first")
      RunLoop.current.advance(by: .seconds(10), mode: .custom)
    }.when(.idle)
    RunLoop.current.perform { log("limited") }.when(.idle).within(.seconds(10))
    run()
    #expect(log.events == ["entry", "beforeWaiting", "first", "limited", "afterWaiting", "exit"])
  }

  /// The next task of a chain runs in the next pass. Nothing else wakes the loop here.
  @Test func aChainOfIdleTasksNeedsNoTimer() {
    let left = Box(12)
    @Sendable func goOn() {
      left.value -= 1
      if left.value > 0 { RunLoop.current.perform { goOn() }.when(.idle) } else { stopRun() }
    }
    keepAlive(.default)
    goOn()
    let sleeps = Box<[Bool]>([])
    // The only timer that the mode can have is one of the package.
    observe(.beforeWaiting, order: Order.last) { _ in
      let date = CFRunLoopGetNextTimerFireDate(CFRunLoopGetCurrent(), RunLoop.Mode.default.cf)
      sleeps.value.append(date > CFAbsoluteTimeGetCurrent())
    }
    run()
    let sleepsWithATimer = sleeps.value.filter { $0 }.count
    #expect(sleepsWithATimer == 0)
  }
}
