import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// A task may name any mode. An empty mode leaves the tasks of other modes pending.
@Suite(.onOwnLoop) struct ModeTests {
  let log = Log()

  @Test(arguments: RunLoopTask.Timing.allCases)
  func tasksOfAModeThatIsNotCommonRunOnlyThere(timing: RunLoopTask.Timing) {
    RunLoop.current.perform { log("custom") }.when(timing).forModes(.custom)
    RunLoop.current.perform { log("common") }.when(timing).forModes(.common)
    #expect(RunLoop.current.run(mode: .custom, before: .distantFuture))
    log("returned")
    #expect(RunLoop.current.run(mode: .default, before: .distantFuture))
    #expect(log.events == ["custom", "returned", "common"])
  }

  // MARK: a mode that becomes a common mode after the scheduling

  @Test(arguments: RunLoopTask.Timing.allCases)
  func tasksRunInAModeThatBecomesCommonBetweenRuns(timing: RunLoopTask.Timing) {
    RunLoop.current.perform { log("task") }.when(timing).forModes(.common)
    _ = RunLoop.current.run(mode: .custom, before: .distantFuture)
    makeCommon(.custom)
    #expect(RunLoop.current.run(mode: .custom, before: .distantFuture))
    #expect(log.events == ["task"])
  }

  @Test(arguments: RunLoopTask.Timing.allCases, [Order.app, Order.frame, Order.last])
  func tasksRunInAModeThatBecomesCommonBeforeItsRunSleeps(timing: RunLoopTask.Timing, order: Int) {
    keepAlive(.custom)
    RunLoop.current.perform { log.andStop("task") }.when(timing).forModes(.common)
    observe(.beforeWaiting, in: .custom, order: order) { _ in makeCommon(.custom) }
    run(.custom)
    #expect(log.events == ["task"])
  }

  enum CommonTask: CaseIterable { case cancelledBefore, runNested, left }

  /// The package has not seen the run begin. It learns of a new common mode only while a task is pending for the common
  /// modes. A nested run consumes wake-ups.
  @Test(arguments: CommonTask.allCases)
  func aRunWhoseModeBecomesCommonBeforeItSleepsDoesNotSleepOnTasks(task: CommonTask) {
    keepAlive(.custom)
    let queue = RunLoop.current.taskQueue
    let timing: RunLoopTask.Timing = task == .left ? .nextLoopBegan : .currentLoopEnded
    let first = queue.perform(when: timing, forModes: [.common]) {
      log("first")
      if task == .left { stopRun() }
    }
    if task == .cancelledBefore { first.cancel() }
    observeOnce(.beforeWaiting, in: .custom, order: Order.frame) {
      makeCommon(.custom)
      if task != .cancelledBefore { poll() }
      guard task != .left else { return }
      queue.perform(when: .currentLoopEnded, forModes: [.common]) { log.andStop("second") }
    }
    run(.custom)
    #expect(
      log.events == (task == .cancelledBefore ? ["second"] : task == .runNested ? ["first", "second"] : ["first"]))
  }

  /// The run in the third mode consumes the wake-up for the first task. The package knows that mode as little.
  @Test func aRunWhoseModeHasBecomeCommonDoesNotSleepOnALaterTask() {
    keepAlive(.custom, .other)
    let source = Source(in: .other) {}
    RunLoop.current.perform {}.when(.idle).forModes(.common)
    observeOnce(.beforeWaiting, in: .custom, order: Order.last) {
      makeCommon(.custom)
      source.signal()
      CFRunLoopRunInMode(RunLoop.Mode.other.cf, 1e10, true)  // returns after a source
      RunLoop.current.perform { log.andStop("task") }.when(.currentLoopEnded).forModes(.common)
    }
    run(.custom)
    #expect(log.events == ["task"])
  }

  /// The wake-up for the first message came before the run, which does not read it.
  @Test func aRunWhoseModeHasBecomeCommonDoesNotSleepOnATaskBehindAnUnreadMessage() {
    keepAlive(.custom)
    let queue = RunLoop.current.taskQueue
    elsewhere { queue.cancelAll() }
    observeOnce(.beforeWaiting, in: .custom, order: Order.last) {
      makeCommon(.custom)
      elsewhere { queue.perform(when: .currentLoopEnded, forModes: [.common]) { log.andStop("task") } }
    }
    run(.custom)
    #expect(log.events == ["task"])
  }

  /// A C string would end at the NUL.
  @Test(arguments: ["a\0b", "\0", "a\0"]) func aModeMayHaveAnyName(name: String) {
    let mode = RunLoop.Mode(name)
    RunLoop.current.perform { log("task") }.forModes(mode)
    #expect(!RunLoop.current.runPass(mode: RunLoop.Mode("a")))
    #expect(RunLoop.current.runPass(mode: mode))
    #expect(log.events == ["task"])
  }
}
