import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// Tasks for the common modes run in a mode that becomes a common mode after their scheduling.
@Suite struct NewCommonModeTests {
  @Test(arguments: RunLoopTask.Timing.allCases)
  func tasksRunInAModeThatBecomesCommonBetweenRuns(timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("task") }.when(timing).forModes(.common)
      _ = RunLoop.current.run(mode: .custom, before: .distantFuture)
      makeCommon(.custom)
      #expect(RunLoop.current.run(mode: .custom, before: .distantFuture))
    }
    #expect(events == ["task"])
  }

  @Test func tasksRunInAModeThatBecomesCommonDuringItsRun() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform {
        RunLoop.current.perform { log("task") }.when(.nextLoopBegan).forModes(.common)
        makeCommon(.custom)
      }.when(.currentLoopEnded).forModes(.custom)
      #expect(RunLoop.current.run(mode: .custom, before: .distantFuture))
      log("returned")
    }
    #expect(events == ["task", "returned"])
  }

  @Test(arguments: RunLoopTask.Timing.allCases, [Order.app, Order.frame, Order.last])
  func tasksRunInAModeThatBecomesCommonBeforeItsRunSleeps(timing: RunLoopTask.Timing, order: Int) {
    let events = eventsOnLoopThread(keepingAlive: [.custom]) { log in
      RunLoop.current.perform { log.andStop("task") }.when(timing).forModes(.common)
      observe(.beforeWaiting, in: .custom, order: order) { _ in makeCommon(.custom) }
      run(.custom)
    }
    #expect(events == ["task"])
  }

  enum CommonTask: CaseIterable { case cancelledBefore, runNested, left }

  /// The package has not seen the run begin. It learns of a new common mode only while a task is pending for the common
  /// modes. A nested run consumes wake-ups.
  @Test(arguments: CommonTask.allCases)
  func aRunWhoseModeBecomesCommonBeforeItSleepsDoesNotSleepOnTasks(task: CommonTask) {
    let events = eventsOnLoopThread(keepingAlive: [.custom]) { log in
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
    }
    #expect(events == (task == .cancelledBefore ? ["second"] : task == .runNested ? ["first", "second"] : ["first"]))
  }

  /// The package sees neither the run begin nor the run of a third mode that is nested in it.
  @Test func aRunWhoseModeBecomesCommonDoesNotSleepOnTasksAfterANestedRun() {
    let events = eventsOnLoopThread(keepingAlive: [.custom, .other]) { log in
      let queue = RunLoop.current.taskQueue
      queue.perform(forModes: [.common]) { log.andStop("common") }
      observe(.beforeTimers, in: .other) { _ in
        guard log.events.isEmpty else { return }
        queue.perform(when: .currentLoopEnded, forModes: [.other]) { log.andStop("other") }
      }
      observeOnce(.beforeWaiting, in: .custom, order: Order.frame) {
        makeCommon(.custom)
        run(.other)
      }
      run(.custom)
    }
    #expect(events == ["other", "common"])
  }

  /// The task observer of the outer run is calling the task, so another one must serve the nested run.
  @Test func tasksRunInANestedRunWhoseModeBecomesCommon() {
    let events = eventsOnLoopThread(keepingAlive: [.custom]) { log in
      observe(.beforeWaiting, in: .custom) { _ in makeCommon(.custom) }
      RunLoop.current.perform {
        RunLoop.current.runPass(mode: .custom)
        log("outer")
      }.when(.nextLoopBegan)
      RunLoop.current.perform { log("common") }.when(.nextLoopBegan).forModes(.common)
      RunLoop.current.runPass()
    }
    #expect(events == ["common", "outer"])
  }

  /// CoreFoundation holds its lock of the loop while it calls the sources of a new common mode. A thread that posts
  /// holds the lock of the package and waits for that lock, so the package must not take its own lock in the call.
  @Test func aModeMayBecomeCommonWhileAnotherThreadPosts() {
    onLoopThread {
      let attachment = Scheduler.current.attachment
      let (scheduled, loop) = (Counter(), LoopReference(CFRunLoopGetCurrent()))
      // CoreFoundation calls the sources in no fixed order. One of so many is called before the package's own source.
      let sources = (1...20).map { _ in
        LoopSource(whenAdded: { _ in
          guard scheduled.count() == 21 else { return }
          let isPosting = DispatchSemaphore(value: 0)
          Thread.detachNewThread {
            attachment.withLock { _ in
              isPosting.signal()
              CFRunLoopWakeUp(loop.loop)
            }
          }
          isPosting.waitOrDie("the thread that posts")
        })
      }
      for source in sources { CFRunLoopAddSource(CFRunLoopGetCurrent(), source.cf, RunLoop.Mode.common.cfMode) }
      let task = RunLoop.current.taskQueue.perform(when: .idle, forModes: [.common]) {}
      RunLoop.current.perform {
        makeCommon(.custom)
        task.when(.nextLoopBegan)
        RunLoop.current.runPass(mode: .custom)
        #expect(task.state == .finished)
      }.when(.nextLoopBegan)
      RunLoop.current.runPass()
      #expect(scheduled.value == 40)
      for source in sources { source.invalidate() }
    }
  }
}
