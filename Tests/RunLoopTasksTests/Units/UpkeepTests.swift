import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// What the package does besides running tasks: no wake-up, no observer and no look at the mail too many, and nothing that stays. No
/// task would run otherwise or at another time, but everybody would pay for it.
@Suite struct UpkeepTests {
  @Test func aLoopBeginsWithNothingToDo() {
    onLoopThread {
      let scheduler = Scheduler.current
      #expect(!scheduler.hasUnreadMail)
      #expect((scheduler.openLanes, scheduler.quietPasses, scheduler.tasksRun) == (0, 0, 0))
      #expect(!scheduler.isPastLastCheck && !scheduler.tasksWereLeft && !scheduler.hasEmptiedMode)
    }
  }

  @Test func lanesAreCountedWhileTheyHaveTasks() {
    onLoopThread {
      let queue = RunLoop.current.taskQueue
      RunLoop.current.perform {}.when(.idle).forModes(.default, .custom)
      RunLoop.current.perform {}.when(.currentLoopEnded).forModes(.common)
      for _ in 1...2 { queue.perform {} }
      #expect(Scheduler.current.openLanes == 3)
      RunLoop.current.runUntilTasksFinish()
      #expect(Scheduler.current.openLanes == 0)
    }
  }

  // MARK: mail

  @Test func mailIsReadOnce() {
    onLoopThread {
      let (queue, scheduler) = (RunLoop.current.taskQueue, Scheduler.current)
      elsewhere { queue.perform {} }
      #expect(scheduler.hasUnreadMail)
      RunLoop.current.runPass()
      #expect(!scheduler.hasUnreadMail)
    }
  }

  /// Others do not look at where a task is, which belongs to the loop's own thread.
  @Test func anAmendmentFromElsewhereIsLeftToTheLoopEvenIfItChangesNothing() {
    onLoopThread {
      let task = RunLoop.current.taskQueue.perform {}
      elsewhere { task.when(.nextLoopBegan) }
      #expect(Scheduler.current.hasUnreadMail)
    }
  }

  @Test func anAmendmentThatIsTooLateIsNotSent() {
    onLoopThread {
      let task = RunLoop.current.perform {}.when(.currentLoopEnded)
      run()
      elsewhere { task.forModes(.custom).coalesced(by: 1).when(.idle) }
      #expect(!Scheduler.current.hasUnreadMail)
    }
  }

  // MARK: looking again

  /// A run is woken to look again only if its mode may have become empty.
  @Test(arguments: [true, false]) func whatEmptiesNoModeIsNoReasonToLookAgain(byMail: Bool) {
    let reasons = onLoopThread {
      let (keepAlive, queue) = (KeepAlive(), RunLoop.current.taskQueue)
      var reasons: [Bool] = []
      queue.perform {}
      observe(.afterWaiting, order: Order.frame) { _ in
        guard reasons.isEmpty else { return }
        if byMail {
          elsewhere { queue.cancelAll() }  // names no mode
          Scheduler.current.readMail()
        } else {
          let task = queue.perform {}
          elsewhere { queue.perform {} }
          task.cancel()  // but the mail keeps the mode
        }
        reasons += Scheduler.current.runs.map(\.mayBeEmpty)
      }
      RunLoop.current.runPass()
      withExtendedLifetime(keepAlive) {}
      return reasons
    }
    #expect(reasons == [false])
  }

  @Test func aTaskOfAnotherModeThatIsCancelledWakesNobody() {
    let passes = onLoopThread {
      let (keepAlive, queue) = (KeepAlive(), RunLoop.current.taskQueue)
      for mode in [RunLoop.Mode.custom, .default] {
        queue.perform(forModes: [mode]) {}
        RunLoop.current.runPass(mode: mode)
      }
      let task = queue.perform(forModes: [.custom]) {}
      var passes = 0
      observe(.beforeWaiting, order: Order.last) { _ in
        passes += 1
        if passes == 2 { task.cancel() }  // at the first one the run is woken in any case
      }
      // If the machine is so busy that the time is over sooner, there are fewer passes, never more.
      let timer = Timer(fire: Date(timeIntervalSinceNow: 0.02), interval: 0, repeats: false) { _ in stopRun() }
      RunLoop.current.add(timer, forMode: .default)
      run()
      withExtendedLifetime(keepAlive) {}
      return passes
    }
    #expect(passes <= 2)
  }

  /// To arm the loop is to wake it from its next sleep in a mode, by a timer, which costs more than a wake-up.
  @Test func onlyWhatCouldBeSleptOnArmsTheLoop() {
    let armed = onLoopThread {
      let (keepAlive, queue, scheduler) = (KeepAlive(), RunLoop.current.taskQueue, Scheduler.current)
      let armed = Box<[[RunLoop.Mode]]>([])
      func note() { armed.add([scheduler.armed.map(\.mode)]) }
      queue.perform(forModes: [.custom]) {}
      #expect(!scheduler.isPastLastCheck)
      queue.perform {}
      RunLoop.current.runPass()
      let source = Source {  // before the loop's last look
        poll(.custom)
        RunLoop.current.perform {}.when(.currentLoopEnded)
        note()
      }
      source.signal()
      observe(.beforeWaiting, order: Order.last) { _ in
        note()
        guard armed.value.count == 2 else { return }
        queue.perform(forModes: [.custom]) {}  // not for this sleep
        note()
        queue.perform {}
        note()
        #expect(!scheduler.isPastLastCheck)  // as all is done for the others that come
      }
      RunLoop.current.runPass()
      queue.perform {}
      RunLoop.current.runPass()
      withExtendedLifetime(keepAlive) {}
      return armed.value
    }
    #expect(armed == [[], [], [], [.default], []])
  }

  enum Interruption: CaseIterable {
    case none, quietPass, task, lateTask, mail
  }

  /// Only where something is scheduled in each pass, and the loop woken for nothing else each time, is it let sleep before it looks.
  @Test(arguments: Interruption.allCases) func theLoopNapsAfterManyLooksInARow(_ interruption: Interruption) {
    let pass = onLoopThread {
      let (keepAlive, queue, scheduler) = (KeepAlive(), RunLoop.current.taskQueue, Scheduler.current)
      queue.perform(when: .currentLoopEnded) {}
      RunLoop.current.runPass()
      var pass = 0
      observe(.beforeWaiting, order: Order.app) { _ in
        pass += 1
        let isInterrupted = pass == Looks.atOnce + 1
        switch isInterrupted ? interruption : .none {
        case .none: queue.perform(when: .currentLoopEnded) {}
        case .quietPass: CFRunLoopWakeUp(CFRunLoopGetCurrent())
        case .task: queue.perform {}
        case .lateTask: break
        case .mail: elsewhere { queue.perform(when: .currentLoopEnded) {} }
        }
      }
      observe(.beforeWaiting, order: Order.frame) { _ in
        if interruption == .lateTask, pass == Looks.atOnce + 1 { queue.perform(when: .currentLoopEnded) {} }
      }
      observe(.beforeWaiting, order: Order.last) { _ in if !scheduler.armed.isEmpty { stopRun() } }
      run()
      withExtendedLifetime(keepAlive) {}
      return pass
    }
    let again = Looks.atOnce + 1
    switch interruption {
    case .none: #expect(pass == again)
    case .quietPass, .task, .lateTask: #expect(pass == again + again)
    case .mail: #expect(pass == again + again - 1)  // the pass in which it came counts
    }
  }

  @Test func aBacklogOfIdleTasksIsWorkedOffWithoutNaps() {
    onLoopThread {
      let (queue, scheduler) = (RunLoop.current.taskQueue, Scheduler.current)
      queue.budget = .nanoseconds(1)
      for _ in 1...Looks.atOnce + 2 { queue.perform(when: .idle) {} }
      var passes = 0
      observe(.beforeWaiting, order: Order.last) { _ in
        passes += 1
        #expect(scheduler.runs[0].looks.count == (queue.count > 0 ? 0 : 1))
      }
      run()
      #expect(passes == Looks.atOnce + 2)
    }
  }

  /// Of a run that began before its mode was observed nothing is heard, so it must be woken with others. But not once it is over, or
  /// if nothing can be pending in it.
  @Test func aRunThatBeganUnheardIsRememberedWhileItMatters() {
    let remembered = onLoopThread {
      let (queue, scheduler) = (RunLoop.current.taskQueue, Scheduler.current)
      let remembered = Box<[[RunLoop.Mode]]>([])
      func schedule(for mode: RunLoop.Mode) {
        queue.perform(forModes: [mode]) {}
        remembered.add([scheduler.unheard.map(\.mode)])
      }
      func schedule(for mode: RunLoop.Mode, inRunOf own: RunLoop.Mode) {
        CFRunLoopPerformBlock(CFRunLoopGetCurrent(), own.cfMode) { schedule(for: mode) }
        poll(own)
      }
      schedule(for: .custom, inRunOf: .default)
      schedule(for: .other)
      queue.perform {}
      RunLoop.current.runPass()
      schedule(for: RunLoop.Mode("RunLoopTasksTests.third"), inRunOf: .default)
      schedule(for: .default, inRunOf: RunLoop.Mode("RunLoopTasksTests.fourth"))
      return remembered.value
    }
    #expect(remembered == [[.default], [], [], []])
  }

  @Test func aRunThatIsHeardAfterAllIsNotUnheard() {
    onLoopThread {
      CFRunLoopPerformBlock(CFRunLoopGetCurrent(), RunLoop.Mode.default.cfMode) { RunLoop.current.taskQueue.perform {} }
      poll()
      #expect(Scheduler.current.unheard.isEmpty)
    }
  }

  /// The wake-up that comes with mail will do for the run that reads it.
  @Test(arguments: [RunLoop.Mode.default, .common]) func mailDoesNotArmTheRunThatReadsIt(mode: RunLoop.Mode) {
    onLoopThread {
      let (queue, scheduler) = (RunLoop.current.taskQueue, Scheduler.current)
      elsewhere { queue.perform(forModes: [mode]) {} }
      CFRunLoopPerformBlock(CFRunLoopGetCurrent(), RunLoop.Mode.default.cfMode) {
        #expect(!scheduler.hasUnreadMail && scheduler.armed.isEmpty)
      }
      poll()
    }
  }

  @Test func whatArmsTheLoopIsTakenBack() {
    onLoopThread {
      let scheduler = Scheduler.current
      let modes = [RunLoop.Mode.custom, .other].map { scheduler.modeSet($0).entries[0] }
      func isArmed(_ mode: ModeEntry) -> Bool {
        CFRunLoopGetNextTimerFireDate(CFRunLoopGetCurrent(), mode.anchor.cfMode) != 0
      }
      for mode in modes + modes { scheduler.arm(mode) }
      #expect(modes.allSatisfy(isArmed) && scheduler.armed.count == 2)
      #expect(scheduler.disarm(modes[0]))
      #expect(!isArmed(modes[0]) && isArmed(modes[1]) && modes[0].wakeTimer == nil)
      #expect(scheduler.armed.map(\.mode) == [.other])
      #expect(!scheduler.disarm(modes[0]))
      scheduler.arm(modes[0])
      scheduler.end()
      #expect(!modes.contains(where: isArmed) && scheduler.armed.isEmpty)
    }
  }

  // MARK: observers

  /// Only in what calls out may the loop be run, for which a spare stands by.
  @Test func anEntryAtWhichNothingIsCalledNeedsNoSpare() {
    onLoopThread {
      let queue = RunLoop.current.taskQueue
      for mode in [RunLoop.Mode.default, .custom] { queue.perform(when: .currentLoopEnded, forModes: [mode]) {} }
      poll()
      elsewhere { queue.perform(when: .currentLoopEnded) {} }
      poll()
      #expect(queue.count == 1 && Scheduler.current.hearers.count == 4)
    }
  }

  /// Nor does one in a mode that has other tasks, and therefore all that is needed.
  @Test func aTaskThatSchedulesWhereOthersArePendingNeedsNoSpare() {
    onLoopThread {
      RunLoop.current.perform {}.when(.idle)
      RunLoop.current.perform {
        RunLoop.current.perform {}.when(.nextLoopBegan)
        #expect(Scheduler.current.hearers.count == 4)
      }.when(.currentLoopEnded)
      run()
    }
  }

  // MARK: the end

  @Test func whatWasReadOnTheWayOutGoesAtTheEnd() {
    let events = eventsOnLoopThread { log in
      let task: RunLoopTask = {
        let token = Token { log("released") }
        return RunLoop.current.perform { token.use() }.when(.currentLoopEnded).forModes(.custom)
      }()
      observe(.exit, order: Order.frame) { _ in elsewhere { task.cancel() } }
      RunLoop.current.perform {}.when(.currentLoopEnded)
      poll()
      log("left")
      Scheduler.current.end()
      log("ended")
    }
    #expect(events == ["left", "released", "ended"])
  }

  @Test func theEndTakesObserversOffTheLoop() {
    onLoopThread {
      let observation = Observation(of: .all, order: 0, repeats: true) { _ in }
      Scheduler.current.attachment.withLock { $0.add(observation, to: [.default]) }
      Scheduler.current.end()
      #expect(!observation.isValid && !CFRunLoopObserverIsValid(observation.observer.cf))
    }
  }
}

extension Scheduler {
  fileprivate var hasUnreadMail: Bool { hasMail.load(ordering: .relaxed) }
}
