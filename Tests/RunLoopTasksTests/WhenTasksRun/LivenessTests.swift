import CoreFoundation
import Foundation
import Testing
import XCTest

@testable import RunLoopTasks

/// Contract, section 3: no sleeping on work, keeping runs alive, any mode. Every run here is without a limit: a loop that
/// sleeps on due work runs into the watchdog.
@Suite struct LivenessTests {
  // MARK: no sleeping on work

  @Test(arguments: [Order.first, Order.app, Order.frame, Order.last], [true, false])
  func workScheduledByAnObserverBeforeWaitingIsNotSleptOn(order: Int, isFirst: Bool) {
    for timing in RunLoopTask.Timing.allCases { observerSchedules(timing, order: order, isFirst: isFirst) }
  }

  private func observerSchedules(_ timing: RunLoopTask.Timing, order: Int, isFirst: Bool) {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      if !isFirst { RunLoop.current.perform {}.when(.currentLoopEnded) }
      var isScheduled = false
      observe(.beforeWaiting, order: order) { _ in
        guard !isScheduled else { return }
        isScheduled = true
        RunLoop.current.perform {
          log("task"); stopRun()
        }.when(timing)
      }
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["task"])
  }

  @Test(arguments: [Order.app, Order.frame, Order.last])
  func workThatIsMovedIntoTheModeBeforeWaitingIsNotSleptOn(order: Int) {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      let task = RunLoop.current.taskQueue.perform(forModes: [.custom]) {
        log("task")
        stopRun()
      }
      RunLoop.current.perform {}.when(.currentLoopEnded)
      var passes = 0
      observe(.beforeWaiting, order: order) { _ in
        passes += 1
        if passes == 2 { task.forModes(.default) }  // in the first the loop was woken to look again
      }
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["task"])
  }

  @Test func onARestingLoopAnObserverBeforeWaitingIsStillInTime() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      RunLoop.current.perform {}.when(.currentLoopEnded)
      letTheLoopRest()
      logActivities(log)
      observe(.beforeWaiting, order: Order.app) { _ in
        RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
      }
      observe(.beforeWaiting, order: Order.frame) { _ in log("frame") }
      RunLoop.current.runPass()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["entry", "beforeWaiting", "task", "frame", "afterWaiting", "exit"])
  }

  @Test(arguments: [Order.app, Order.frame, Order.last], [true, false])
  func aWakeUpConsumedByANestedRunIsGivenAgain(order: Int, isFirst: Bool) {
    let events = eventsOnLoopThread { log in
      let nested = ModeHolder(.custom)
      if !isFirst { RunLoop.current.perform {}.when(.currentLoopEnded) }
      runWhileAnObserverSchedules(log, order: order) { RunLoop.current.runPass(mode: .custom) }
      withExtendedLifetime(nested) {}
    }
    #expect(events == ["task"])
  }

  /// The nested run hears of the task first, and the outer one began before anybody listened.
  @Test(arguments: [Order.app, Order.frame, Order.last], [true, false])
  func aNestedRunThatPollsLeavesTheOuterRunAwake(order: Int, isFirst: Bool) {
    for mode in [RunLoop.Mode.default, .common] {
      let events = eventsOnLoopThread { log in
        if !isFirst {
          let keepAlive = ModeHolder()
          RunLoop.current.perform {}.when(.currentLoopEnded).forModes(mode)
          letTheLoopRest()
          withExtendedLifetime(keepAlive) {}
        }
        runWhileAnObserverSchedules(log, order: order, forMode: mode) { poll() }
      }
      #expect(events == ["task"])
    }
  }

  /// Nobody hears the outer run, of another common mode.
  @Test func aTaskForTheCommonModesIsNotSleptOn() {
    let events = eventsOnLoopThread { log in
      let keepAlive = (ModeHolder(), ModeHolder(.custom))
      CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), RunLoop.Mode.custom.cfMode)
      var isNested = false
      observe(.beforeWaiting, in: .custom, order: Order.frame) { _ in
        guard !isNested else { return }
        isNested = true
        poll()
      }
      observe(.entry) { _ in
        RunLoop.current.taskQueue.perform(forModes: [.common]) {  // in one step: it is never for another mode
          log("task")
          stopRun()
        }
      }
      run(.custom)
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["task"])
  }

  /// Runs the loop until it has run a task, which an observer of `beforeWaiting` schedules before it runs the loop nested.
  private func runWhileAnObserverSchedules(
    _ log: Log, order: Int, forMode mode: RunLoop.Mode = .default, runNested: @escaping () -> Void
  ) {
    let keepAlive = ModeHolder()
    var isScheduled = false
    observe(.beforeWaiting, order: order) { _ in
      guard !isScheduled else { return }
      isScheduled = true
      RunLoop.current.taskQueue.perform(forModes: [mode]) {
        log("task")
        stopRun()
      }
      runNested()
    }
    run()
    withExtendedLifetime(keepAlive) {}
  }

  @Test(arguments: [Order.app, Order.frame, Order.last])
  func aTaskScheduledAfterANestedRunIsNotSleptOn(order: Int) {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      var isScheduled = false
      observe(.beforeWaiting, order: order) { _ in
        guard !isScheduled else { return }
        isScheduled = true
        RunLoop.current.perform { log("nested") }.when(.currentLoopEnded)
        poll()
        RunLoop.current.perform {
          log("task")
          stopRun()
        }.when(.nextLoopBegan)
      }
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["nested", "task"])
  }

  @Test(arguments: [Order.app, Order.frame, Order.last])
  func aNestedRunInAnotherModeThatReadsMailLeavesTheOuterRunAwake(order: Int) {
    let events = eventsOnLoopThread { log in
      let keepAlive = (ModeHolder(), ModeHolder(.custom))
      let queue = RunLoop.current.taskQueue
      var isPosted = false
      observe(.beforeWaiting, in: .custom, order: order) { _ in
        guard !isPosted else { return }
        isPosted = true
        elsewhere {
          queue.perform(forModes: [.default, .custom]) {
            log("task")
            stopRun()
          }
        }
        poll(.default)
      }
      run(.custom)
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["task"])
  }

  /// Its last look at what is pending came too late for this time.
  @Test(arguments: ["in the task", "in an observer"]) func aRestingLoopThatIsRunNestedIsNotSleptOn(place: String) {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      RunLoop.current.perform {}.when(.currentLoopEnded)
      letTheLoopRest()
      let passes = Counter()
      observe(.beforeWaiting, order: Order.app) { _ in
        guard passes.count() == 1 else { return }
        RunLoop.current.perform {
          log("ended")
          if place == "in the task" { poll() }
        }.when(.currentLoopEnded)
        RunLoop.current.perform {
          log("began")
          stopRun()
        }.when(.nextLoopBegan)
      }
      observe(.beforeWaiting, order: Order.frame) { _ in
        if passes.value == 1, place == "in an observer" { poll() }
      }
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["ended", "began"])
  }

  /// Of three runs nobody heard the first two begin.
  @Test func aRunInAnotherModeLeavesTheOuterRunAwake() {
    let events = eventsOnLoopThread { log in
      let keepAlive = (ModeHolder(), ModeHolder(.custom))
      var isScheduled = false
      observe(.beforeWaiting, order: Order.frame) { _ in
        guard !isScheduled else { return }
        isScheduled = true
        RunLoop.current.perform {
          log("task")
          stopRun()
        }.when(.nextLoopBegan)
        observe(.afterWaiting, in: .custom) { _ in
          RunLoop.current.perform { log("custom") }.when(.currentLoopEnded).forModes(.custom)
          stopRun()
        }
        addDueTimer(in: .custom)
        run(.custom)
        poll()
      }
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["custom", "task"])
  }

  /// The timer that woke the outer run stays due until that goes on, and meanwhile no other timer wakes a nested run.
  @Test(arguments: [true, false], [true, false])
  func aBacklogInARunNestedInOneThatATimerWokeIsNotSleptOn(isPosted: Bool, isOuterHeard: Bool) {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      let queue = RunLoop.current.taskQueue
      queue.budget = .nanoseconds(1)
      let wakings = Counter()
      observe(.afterWaiting, order: Order.frame) { _ in
        let number = wakings.count()
        if isOuterHeard, number == 1 { return addDueTimer() }  // it woke for a task, and now it will for the timer
        guard number == (isOuterHeard ? 2 : 1) else { return }
        let first: @Sendable () -> Void = { queue.perform(when: .currentLoopEnded) { log("first") } }
        if isPosted { elsewhere(first) } else { first() }
        queue.perform(when: .currentLoopEnded) {
          log("second")
          stopRun()
        }
        run()
        stopRun()
      }
      if isOuterHeard { RunLoop.current.perform {}.when(.currentLoopEnded) } else { addDueTimer() }
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["first", "second"])
  }

  private func addDueTimer(in mode: RunLoop.Mode = .default) {
    RunLoop.current.add(Timer(fire: Date(), interval: 0, repeats: false) { _ in }, forMode: mode)
  }

  @Test func aTaskThatRunsItsLoopLeavesTheOuterRunAwake() {
    let events = eventsOnLoopThread { log in
      let (keepAlive, nested) = (ModeHolder(), ModeHolder(.custom))
      RunLoop.current.perform {
        RunLoop.current.perform {
          log("task"); stopRun()
        }.when(.nextLoopBegan)
        RunLoop.current.runPass(mode: .custom)
      }.when(.currentLoopEnded)
      run()
      withExtendedLifetime((keepAlive, nested)) {}
    }
    #expect(events == ["task"])
  }

  @Test func aTaskThatRunsItsRestingLoopLeavesTheOuterRunAwake() {
    let events = eventsOnLoopThread { log in
      let (keepAlive, nested) = (ModeHolder(), ModeHolder(.custom))
      RunLoop.current.perform {}.when(.currentLoopEnded)
      letTheLoopRest()
      var isScheduled = false
      observe(.beforeWaiting, order: Order.app) { _ in
        guard !isScheduled else { return }
        isScheduled = true
        RunLoop.current.perform {
          RunLoop.current.perform {
            log("task")
            stopRun()
          }.when(.nextLoopBegan)
          RunLoop.current.runPass(mode: .custom)
        }.when(.currentLoopEnded)
      }
      run()
      withExtendedLifetime((keepAlive, nested)) {}
    }
    #expect(events == ["task"])
  }

  @Test func anIdleTaskIsNotSleptOnWhileOthersRun() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      RunLoop.current.perform {
        log("idle"); stopRun()
      }.when(.idle)
      RunLoop.current.perform {
        log("began")
        RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
      }.when(.nextLoopBegan)
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["began", "ended", "idle"])
  }

  @Test(arguments: [Order.first, Order.app, Order.last])
  func whatANestedRunSchedulesForTheOuterOneOnItsWayToSleepIsNotSleptOn(order: Int) {
    let events = eventsOnLoopThread { log in
      let keepAlive = (ModeHolder(), ModeHolder(.custom))
      let queue = RunLoop.current.taskQueue
      var isDone = false
      observe(.beforeWaiting, order: order) { _ in
        guard !isDone else { return }
        isDone = true
        RunLoop.current.perform(inModes: [.custom]) {
          queue.perform {
            log("task")
            stopRun()
          }
        }
        RunLoop.current.runPass(mode: .custom)
      }
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["task"])
  }

  // MARK: keeping a run alive

  @Test(arguments: RunLoopTask.Timing.allCases)
  func aRunOnABareThreadRunsTheTaskAndReturns(timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("task") }.when(timing)
      log("\(RunLoop.current.run(mode: .default, before: .distantFuture))")
      log("\(RunLoop.current.run(mode: .default, before: .distantFuture))")
    }
    #expect(events == ["task", "true", "false"])
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func aRunReturnsAfterTheLastOfManyTasks(timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      func task(_ left: Int) {
        log("\(left)")
        if left > 0 { RunLoop.current.perform { task(left - 1) }.when(timing) }
      }
      RunLoop.current.perform { task(3) }.when(timing)
      run()
      log("returned")
    }
    #expect(events == ["3", "2", "1", "0", "returned"])
  }

  @Test func aRunReturnsAfterTasksThatRanAtItsEntry() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("task") }.when(.nextLoopBegan)
      poll()
      run()
      log("returned")
    }
    #expect(events == ["task", "returned"])
  }

  @Test func aRunReturnsOnceTheLastTaskIsCancelled() {
    let events = eventsOnLoopThread { log in
      let task = RunLoop.current.perform { log("task") }.when(.idle)
      RunLoop.current.perform { task.cancel() }  // a block of Foundation's, before the loop would wait
      run()
      log("returned")
    }
    #expect(events == ["returned"])
  }

  @Test func aRunReturnsOnceItsFirstTaskIsCancelledUnderWay() {
    onLoopThread {
      RunLoop.current.perform { RunLoop.current.perform {}.when(.idle).cancel() }
      run()
    }
  }

  @Test func foundationsRunMethodsDriveTasks() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("run()") }.when(.currentLoopEnded)
      RunLoop.current.run()
      RunLoop.current.perform { log("run(until:)") }.when(.currentLoopEnded)
      RunLoop.current.run(until: .distantFuture)
      RunLoop.current.perform { log("past") }.when(.currentLoopEnded)
      RunLoop.current.run(until: .distantPast)
      RunLoop.current.perform { log("limit") }.when(.currentLoopEnded)
      CFRunLoopRunInMode(RunLoop.Mode.default.cfMode, 3600, true)
      RunLoop.current.perform { log("CFRunLoopRun") }.when(.currentLoopEnded)
      CFRunLoopRun()
    }
    #expect(events == ["run()", "run(until:)", "past", "limit", "CFRunLoopRun"])
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func xctestsWaitsDriveTasks(timing: RunLoopTask.Timing) {
    let result: Bool = onLoopThread {
      let expectation = XCTestExpectation(description: "the task")
      RunLoop.current.perform { expectation.fulfill() }.when(timing)
      return XCTWaiter().wait(for: [expectation], timeout: 60) == .completed
    }
    #expect(result)
  }

  @Test func tasksOfOtherModesDoNotKeepARunAlive() {
    onLoopThread {
      RunLoop.current.perform {}.when(.idle).forModes(.custom)
      _ = RunLoop.current.run(mode: .default, before: .distantFuture)  // returns
      #expect(RunLoop.current.taskQueue.count == 1)
    }
  }

  @Test func aTaskThatWasMovedToAnotherModeKeepsOnlyThatAlive() {
    onLoopThread {
      let task = RunLoop.current.perform {}.when(.idle).forModes(.custom, .other)
      _ = RunLoop.current.run(mode: .default, before: .distantFuture)  // returns
      task.forModes(.other)
      _ = RunLoop.current.run(mode: .custom, before: .distantFuture)  // returns
      #expect(RunLoop.current.run(mode: .other, before: .distantFuture))
    }
  }

  @Test func aTaskScheduledInARunThatPollsLeavesNothingToStayFor() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { RunLoop.current.perform { log("task") }.when(.currentLoopEnded) }
      poll()
      for _ in 1...2 { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }  // returns
      log("\(RunLoop.current.run(mode: .default, before: .distantFuture))")
    }
    #expect(events == ["task", "false"])
  }

  @Test func aTaskScheduledAtExitAndCancelledLeavesNothingToStayFor() {
    onLoopThread {
      let task = Box<RunLoopTask?>(nil)
      observe(.exit) { _ in task.value = RunLoop.current.perform {}.when(.currentLoopEnded) }
      RunLoop.current.perform {}  // a block of Foundation's, to have a run
      poll()
      #expect(task.value!.cancel())
      _ = RunLoop.current.run(mode: .default, before: .distantFuture)  // returns
    }
  }

  // MARK: any mode

  @Test(arguments: RunLoopTask.Timing.allCases)
  func aModeThatIsNoCommonModeIsServed(timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("custom") }.when(timing).forModes(.custom)
      RunLoop.current.perform { log("common") }.when(timing).forModes(.common)
      #expect(RunLoop.current.run(mode: .custom, before: .distantFuture))
      log("returned")
      #expect(RunLoop.current.run(mode: .default, before: .distantFuture))
    }
    #expect(events == ["custom", "returned", "common"])
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func aModeThatBecomesCommonLaterIsServed(timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("task") }.when(timing).forModes(.common)
      _ = RunLoop.current.run(mode: .custom, before: .distantFuture)  // returns
      CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), RunLoop.Mode.custom.cfMode)
      #expect(RunLoop.current.run(mode: .custom, before: .distantFuture))
    }
    #expect(events == ["task"])
  }

  @Test func aModeThatBecomesCommonDuringItsRunIsServed() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform {
        RunLoop.current.perform { log("task") }.when(.nextLoopBegan).forModes(.common)
        CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), RunLoop.Mode.custom.cfMode)
      }.when(.currentLoopEnded).forModes(.custom)
      #expect(RunLoop.current.run(mode: .custom, before: .distantFuture))
      log("returned")
    }
    #expect(events == ["task", "returned"])
  }

  @Test(arguments: RunLoopTask.Timing.allCases, [Order.app, Order.frame, Order.last])
  func aModeThatBecomesCommonOnItsWayToSleepIsServed(timing: RunLoopTask.Timing, order: Int) {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder(.custom)
      RunLoop.current.perform {
        log("task")
        stopRun()
      }.when(timing).forModes(.common)
      observe(.beforeWaiting, in: .custom, order: order) { _ in
        CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), RunLoop.Mode.custom.cfMode)
      }
      run(.custom)
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["task"])
  }

  enum CommonTask: CaseIterable { case cancelledBefore, runNested, left }

  /// Nobody has heard that run begin, nor is told if nothing is pending for the common modes; and a nested run takes wake-ups.
  @Test(arguments: CommonTask.allCases)
  func aRunWhoseModeBecomesCommonOnItsWayToSleepDoesNotSleepOnTasks(task: CommonTask) {
    let events = eventsOnLoopThread { log in
      let (keepAlive, queue) = (ModeHolder(.custom), RunLoop.current.taskQueue)
      let timing: RunLoopTask.Timing = task == .left ? .nextLoopBegan : .currentLoopEnded
      let first = queue.perform(when: timing, forModes: [.common]) {
        log("first")
        if task == .left { stopRun() }
      }
      if task == .cancelledBefore { first.cancel() }
      var isDone = false
      observe(.beforeWaiting, in: .custom, order: Order.frame) { _ in
        guard !isDone else { return }
        isDone = true
        CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), RunLoop.Mode.custom.cfMode)
        if task != .cancelledBefore { poll() }
        guard task != .left else { return }
        queue.perform(when: .currentLoopEnded, forModes: [.common]) {
          log("second")
          stopRun()
        }
      }
      run(.custom)
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == (task == .cancelledBefore ? ["second"] : task == .runNested ? ["first", "second"] : ["first"]))
  }

  /// The same, if a run of a third mode, which nobody heard begin either, is nested in it.
  @Test func aRunWhoseModeBecomesCommonIsRememberedUntilItIsHeard() {
    let events = eventsOnLoopThread { log in
      let keepAlive = (ModeHolder(.custom), ModeHolder(.other))
      let queue = RunLoop.current.taskQueue
      queue.perform(forModes: [.common]) {
        log("common")
        stopRun()
      }
      observe(.beforeTimers, in: .other) { _ in
        guard log.events.isEmpty else { return }
        queue.perform(when: .currentLoopEnded, forModes: [.other]) {
          log("other")
          stopRun()
        }
      }
      var isDone = false
      observe(.beforeWaiting, in: .custom, order: Order.frame) { _ in
        guard !isDone else { return }
        isDone = true
        CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), RunLoop.Mode.custom.cfMode)
        run(.other)
      }
      run(.custom)
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["other", "common"])
  }

  /// A timer that is to wake the run keeps its mode alive beyond the last task.
  @Test func aRunThatWasWokenBeforeItsTimerReturns() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      queue.budget = .nanoseconds(1)
      RunLoop.current.perform { log("common") }.when(.nextLoopBegan).forModes(.common)
      RunLoop.current.perform {
        log("ended")
        elsewhere { queue.perform {}.cancel() }  // wakes the loop, which has a timer for the backlog
      }.when(.currentLoopEnded)
      let passes = Counter()
      observe(.beforeWaiting, order: Order.app) { _ in
        if passes.count() == 2 { poll() }  // takes what else might wake it
      }
      run()
      log("returned")
    }
    #expect(events == ["ended", "common", "returned"])
  }

  /// The observers that serve the outer run are deaf, as they are calling the task.
  @Test func aNestedRunWhoseModeBecomesCommonIsServed() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder(.custom)
      observe(.beforeWaiting, in: .custom) { _ in
        CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), RunLoop.Mode.custom.cfMode)
      }
      RunLoop.current.perform {
        RunLoop.current.runPass(mode: .custom)
        log("outer")
      }.when(.nextLoopBegan)
      RunLoop.current.perform { log("common") }.when(.nextLoopBegan).forModes(.common)
      RunLoop.current.runPass()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["common", "outer"])
  }

  /// CoreFoundation holds its lock of the loop while a mode becomes a common one, and other threads take that lock last.
  @Test func aModeMayBecomeCommonWhileAnotherThreadPosts() {
    onLoopThread {
      let attachment = Scheduler.current.attachment
      let (scheduled, loop) = (Counter(), LoopReference(CFRunLoopGetCurrent()))
      // One of them is called before the package's own source, if it is not that which happens to be the first of all.
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
        CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), RunLoop.Mode.custom.cfMode)
        task.when(.nextLoopBegan)
        RunLoop.current.runPass(mode: .custom)
        #expect(task.state == .finished)
      }.when(.nextLoopBegan)
      RunLoop.current.runPass()
      #expect(scheduled.value == 40)
      for source in sources { source.invalidate() }
    }
  }

  @Test func aModeThatIsBothNamedAndCommonStaysServedWhenOneOfThemRests() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), RunLoop.Mode.custom.cfMode)
      RunLoop.current.perform { log("custom") }.when(.nextLoopBegan).forModes(.custom)
      RunLoop.current.perform { log("common") }.when(.nextLoopBegan).forModes(.common)
      letTheLoopRest()  // .common gets its task and then rests
      log("custom:")
      logActivities(log, in: .custom)
      run(.custom)
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["common", "custom:", "entry", "beforeWaiting", "afterWaiting", "custom", "exit"])
  }

  @Test func aModeThatRestsLeavesTheTasksOfOtherModesAlone() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder(.custom)
      RunLoop.current.taskQueue.perform(forModes: [.common]) { log("task") }
      RunLoop.current.taskQueue.perform(forModes: [.custom]) { log("custom") }
      for _ in 1...10 { RunLoop.current.runPass(mode: .custom) }
      logActivities(log)
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["custom", "entry", "beforeWaiting", "afterWaiting", "task", "exit"])
  }

  /// While it is nested in a run on its way to sleep that nobody heard begin.
  @Test func aModeThatRestsLeavesARunWithTasksRemembered() {
    let events = eventsOnLoopThread { log in
      let keepAlive = (ModeHolder(), ModeHolder(.custom))
      RunLoop.current.perform {}.when(.currentLoopEnded)
      RunLoop.current.runPass()
      observe(.beforeWaiting, in: .custom, order: Order.frame) { _ in
        guard log.events.isEmpty else { return }
        log("nested")
        RunLoop.current.taskQueue.perform(forModes: [.custom]) {
          log("task")
          stopRun()
        }
        letTheLoopRest()
        poll(.custom)  // takes what is to wake the outer run
      }
      run(.custom)
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["nested", "task"])
  }

  // MARK: nothing pending

  /// A run in which quiet passes were nested remembers what has run in it.
  @Test func onlyTheOutermostRunRests() {
    let events = eventsOnLoopThread { log in
      let source = Box<RunLoopSource<Int>?>(nil)
      source.value = RunLoopSource { _ in
        letTheLoopRest()
        log("rested")
        RunLoop.current.perform {
          log("idle")
          stopRun()
        }.when(.idle)
      }
      RunLoop.current.add(source.value!, forMode: .default)
      let passes = Counter()
      observe(.afterWaiting, order: Order.frame) { _ in
        // It has just run a task, and before it waits the source is served.
        if passes.count() == 1 { source.value!.send(1) }
      }
      RunLoop.current.perform { log("began") }.when(.nextLoopBegan)
      observe(.beforeWaiting, order: Order.frame) { _ in log("frame") }
      run()
      source.value!.invalidate()
      source.value = nil
    }
    #expect(events.drop { $0 != "rested" } == ["rested", "frame", "idle", "frame"])
  }
}
