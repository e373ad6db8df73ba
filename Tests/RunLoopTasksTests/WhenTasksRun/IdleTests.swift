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

  @Test(arguments: [RunLoop.Mode.custom, .common], [RunLoopTask.Timing.currentLoopEnded, .nextLoopBegan])
  func anIdleTaskDoesNotWaitForTasksOfOtherModes(mode: RunLoop.Mode, timing: RunLoopTask.Timing) {
    logActivities(log, in: .other)
    RunLoop.current.perform { log("other") }.when(timing).forModes(mode)
    RunLoop.current.perform { log("idle") }.when(.idle).forModes(.other)
    run(.other)
    #expect(log.events == ["entry", "beforeWaiting", "idle", "afterWaiting", "exit"])
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
