import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// What happens when the loop is run, or tasks come and go, where one would not expect it.
@Suite struct ReentrancyTests {
  /// Calls what it was made with when it goes.
  private final class Farewell: @unchecked Sendable {
    // Unchecked: made, used and released on the loop's own thread.
    private let farewell: () -> Void
    init(_ farewell: @escaping () -> Void) { self.farewell = farewell }
    deinit { farewell() }
    func use() {}
  }

  // MARK: a mode that is emptied before the loop looks

  @Test(arguments: [RunLoop.Activity.entry, .beforeWaiting, .afterWaiting], [true, false])
  func aRunWhoseOnlyTaskIsPostedAndCancelledReturns(activity: RunLoop.Activity, alone: Bool) {
    onLoopThread {
      let queue = RunLoop.current.taskQueue
      RunLoop.current.perform {}.when(.idle)  // so that there is a run, in which no task is left
      var isPosted = false
      observe(activity, order: Order.frame) { _ in
        guard !isPosted else { return }
        isPosted = true
        elsewhere { if alone { queue.perform {}.cancel() } else { queue.perform {} } }
        if !alone { elsewhere { queue.cancelAll() } }
      }
      run()
    }
  }

  /// A nested run takes the wake-up that came with the mail.
  @Test(arguments: [2, RunStack.patience + 1]) func aRunThatOnlyMailKeptAliveReturns(pass: Int) {
    onLoopThread {
      let queue = RunLoop.current.taskQueue
      var (keepAlive, nested): (ModeHolder?, ModeHolder) = (ModeHolder(), ModeHolder(.custom))
      for mode in [RunLoop.Mode.default, .custom] { queue.perform(when: .currentLoopEnded, forModes: [mode]) {} }
      var passes = 0
      observe(.beforeWaiting, order: Order.app) { _ in
        passes += 1
        if passes < pass { queue.perform(when: .currentLoopEnded) {} }
        guard passes == pass else { return }
        elsewhere {
          queue.perform {}
          queue.cancelAll()
        }
        keepAlive = nil
        RunLoop.current.runPass(mode: .custom)
      }
      run()
      withExtendedLifetime((keepAlive, nested)) {}
    }
  }

  @Test(arguments: [true, false])
  func aRunWhoseOnlyTaskWasPostedAndCancelledReturns(alone: Bool) {
    onLoopThread {
      let queue = RunLoop.current.taskQueue
      elsewhere {
        let task = queue.perform {}
        if alone { task.cancel() } else { queue.cancelAll() }
      }
      run()
    }
  }

  @Test(arguments: [Order.first, Order.app, Order.last])
  func aRunWhoseOnlyTaskIsCancelledAtItsEntryReturns(order: Int) {
    onLoopThread {
      let task = Box<RunLoopTask?>(nil)
      observe(.entry, order: order) { _ in task.value?.cancel() }
      task.value = RunLoop.current.perform {}.when(.idle)
      run()
    }
  }

  @Test func aRunWhoseOnlyTaskRanInARunNestedAtItsEntryReturns() {
    onLoopThread {
      RunLoop.current.perform {}.when(.currentLoopEnded)
      var isNested = false
      observe(.entry, order: Order.app) { _ in
        guard !isNested else { return }
        isNested = true
        poll()
      }
      run()
    }
  }

  // MARK: runs nested in what a pass calls

  @Test func aRunNestedInAPassHasNothingToStayFor() {
    let activities = eventsOnLoopThread { log in
      RunLoop.current.perform {
        logActivities(log)
        _ = RunLoop.current.run(mode: .default, before: .distantFuture)
        log("returned")
      }.when(.currentLoopEnded)
      RunLoop.current.runPass()
    }
    #expect(activities.prefix { $0 != "returned" } == ["entry", "beforeWaiting", "afterWaiting", "exit"])
  }

  @Test(arguments: [RunLoop.Activity.entry, .exit])
  func aPassStopsItselfAndNoRunNestedInIt(activity: RunLoop.Activity) {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      var isNested = false
      observe(activity, order: Order.app) { _ in
        guard !isNested else { return }
        isNested = true
        let timer = Timer(fire: Date(timeIntervalSinceNow: 0.02), interval: 0, repeats: false) { _ in
          log("timer")
          stopRun()
        }
        RunLoop.current.add(timer, forMode: .default)
        run()
        log("left")
      }
      RunLoop.current.runPass()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["timer", "left"])
  }

  @Test func aRunThatAnEntryObserverNestsLeavesNoTrace() {
    onLoopThread {
      let keepAlive = (ModeHolder(), ModeHolder(.custom))
      var isNested = false
      observe(.entry, in: .custom, order: Order.app) { _ in
        guard !isNested else { return }
        isNested = true
        for _ in 1...3 { RunLoop.current.runPass(mode: .custom) }
      }
      RunLoop.current.perform {}.forModes(.custom)
      RunLoop.current.perform {}.when(.nextLoopBegan)
      RunLoop.current.runPass(mode: .custom)
      #expect(Scheduler.current.runs.depth == 0)
      withExtendedLifetime(keepAlive) {}
    }
  }

  // MARK: closures and keys that do something when they go

  @Test(arguments: [RunLoop.Activity.entry, .beforeWaiting, .afterWaiting, .exit], RunLoopTask.Timing.allCases)
  func theLoopMayBeRunWhereACancelledClosureGoes(activity: RunLoop.Activity, timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      let task: RunLoopTask = {
        let farewell = Farewell {
          log("{")
          RunLoop.current.perform {
            log("task")
            stopRun()
          }.when(timing)
          run()
          log("}")
        }
        return RunLoop.current.perform { farewell.use() }.when(.idle)
      }()
      RunLoop.current.perform {}.when(.idle).forModes(.other)
      RunLoop.current.perform {}.when(.nextLoopBegan)
      var isCancelled = false
      observe(activity, order: Order.app) { _ in
        guard !isCancelled else { return }
        isCancelled = true
        elsewhere { task.cancel() }
      }
      RunLoop.current.runUntilTasksFinish()
      #expect(Scheduler.current.levels.busy == 0)
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["{", "task", "}"])
  }

  /// A nested run, of which the package hears nothing, takes the wake-up that came with the mail.
  @Test func aClosureThatAnotherThreadCancelledIsNotSleptOn() {
    let events = eventsOnLoopThread { log in
      let keepAlive = (ModeHolder(), ModeHolder(.other))
      let task: RunLoopTask = {
        let farewell = Farewell {
          log("released")
          stopRun()
        }
        return RunLoop.current.perform { farewell.use() }.forModes(.custom)
      }()
      RunLoop.current.perform {}.forModes(.custom)  // so that no mode is emptied, which the loop would have to find out
      RunLoop.current.perform {}.when(.currentLoopEnded)
      var passes = 0
      observe(.beforeWaiting, order: Order.frame) { _ in
        passes += 1
        guard passes == 2 else { return }  // in the first the loop was woken to look again
        elsewhere { task.cancel() }
        RunLoop.current.runPass(mode: .other)
      }
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["released"])
  }

  /// The one observer of a resting loop is busy meanwhile, so there must be another.
  @Test func aLoopDoesNotRestWhileAClosureGoes() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      let task: RunLoopTask = {
        let farewell = Farewell {
          RunLoop.current.perform {}.when(.currentLoopEnded)
          letTheLoopRest()
          observe(.beforeWaiting, order: Order.app) { _ in
            RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
          }
          observe(.beforeWaiting, order: Order.frame) { _ in log("frame") }
          RunLoop.current.runPass()
          log("gone")
        }
        return RunLoop.current.perform { farewell.use() }.forModes(.other)
      }()
      RunLoop.current.perform {}.when(.currentLoopEnded)
      letTheLoopRest()
      elsewhere { task.cancel() }
      RunLoop.current.runPass()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events.prefix(3) == ["task", "frame", "gone"])
  }

  @Test func aClosureThatAnotherThreadReplacedGoesAfterAllMail() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      do {
        let farewell = Farewell {
          log("{")
          run()
          log("}")
        }
        RunLoop.current.perform { farewell.use() }.when(.idle).coalesced(by: 1)
      }
      let queue = RunLoop.current.taskQueue
      elsewhere {
        queue.perform(forModes: [.custom]) {}.coalesced(by: 1)
        queue.perform(when: .currentLoopEnded) {
          log("task")
          stopRun()
        }
      }
      RunLoop.current.runUntilTasksFinish()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["{", "task", "}"])
  }

  @Test func aKeyMayScheduleWhenItGoes() {
    final class Key: Hashable, Sendable {
      static func == (one: Key, other: Key) -> Bool { true }
      func hash(into hasher: inout Hasher) {}
      deinit { RunLoop.current.perform {}.when(.idle).coalesced(by: "farewell of a key") }
    }
    onLoopThread {
      for _ in 1...3 { RunLoop.current.perform {}.when(.idle).coalesced(by: Key()) }
      RunLoop.current.perform {}.when(.idle).coalesced(by: Key()).coalesced(by: 1).cancel()
      RunLoop.current.runUntilTasksFinish()
      #expect(Scheduler.current.keys.isEmpty)
    }
  }

  @Test func aKeyThatEqualsNoneIsNotKept() {
    let events = eventsOnLoopThread { log in
      for number in 1...3 {
        RunLoop.current.perform { log("\(number)") }.when(.currentLoopEnded).coalesced(by: Double.nan)
      }
      #expect(Scheduler.current.keys.isEmpty)
      run()
    }
    #expect(events == ["1", "2", "3"])
  }

  // MARK: the end

  /// The system ends the data of a thread in rounds, for as long as what goes leaves something behind.
  @Test func whatIsScheduledLateInTheEndOfAThreadIsCancelled() {
    JoinableThread {
      RunLoop.current.perform {}.when(.idle)
      pthread_setspecific(lateKey, UnsafeMutableRawPointer(bitPattern: 1))
    }.join()
    #expect(lateState.value == .cancelled)
  }

  /// The two steps of a `cancel()` on another thread, with the loop reading its mail and ending in between.
  @Test func aTaskCancelledAcrossTheEndIsReleased() {
    let log = Log()
    let queue = Box<RunLoopTaskQueue?>(nil)
    let (hasQueue, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread {
      queue.value = RunLoop.current.taskQueue
      hasQueue.signal()
      mayEnd.wait()
      RunLoop.current.runPass()
    }.start()
    hasQueue.waitOrDie("the queue")
    let task: RunLoopTask = {
      let token = Token { log("released") }
      return queue.value!.perform { token.use() }
    }()
    #expect(task.leavePending(for: .cancelled, onLoopThread: true))
    mayEnd.signal()
    waitUntil { log.events == ["released"] }
  }
}

/// Data of a thread that goes in the second round, and schedules then.
private let lateKey: pthread_key_t = {
  var key = pthread_key_t()
  let destructor: ThreadDestructor = { round in
    if Int(bitPattern: round) == 1 {
      pthread_setspecific(lateKey, UnsafeMutableRawPointer(bitPattern: 2))
    } else {
      lateState.value = RunLoop.current.perform {}.state
    }
  }
  pthread_key_create(&key, destructor)
  return key
}()

private let lateState = Box<RunLoopTask.State?>(nil)
