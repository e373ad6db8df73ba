import Foundation
import Testing

@testable import RunLoopTasks

/// How often the engine wakes its loop and sets the alarm. A host counts that.
@Suite(.onOwnLoop) struct WakingCostTests {
  private let loop = CountingLoop()
  private let scheduler: Scheduler
  private var queue: RunLoopTaskQueue { RunLoopTaskQueue(scheduler: scheduler) }

  init() { scheduler = Scheduler(loop, of: nil) }

  private func pass(_ activities: RunLoop.Activity...) {
    let mode = loop.running.last!
    for activity in activities {
      if activity == .entry { scheduler.runBegins(in: mode) }
      scheduler.handle(Moment(activity), in: mode)
      if activity == .beforeWaiting || activity == .exit { scheduler.lastLook(at: Moment(activity), in: mode) }
    }
  }

  private func inRun(_ body: () -> Void) {
    ThreadLocalScheduler.simulate(scheduler) {
      loop.running.append(.default)
      pass(.entry)
      body()
      pass(.exit)
      loop.running.removeLast()
      scheduler.end()
    }
  }

  private func post(_ timing: RunLoopTask.Timing, after delay: Duration = .zero) {
    ThreadLocalScheduler.simulate(nil) { _ = queue.perform(when: timing, after: delay) {} }
  }

  @Test func aThousandPostsWakeTheLoopOnce() {
    inRun {
      for _ in 1...1_000 { post(.idle) }
      #expect(loop.wakeUps == 1)
    }
  }

  /// The pass after the batch lets the run find its mode empty.
  @Test func aBatchCausesOneMorePass() {
    inRun {
      post(.currentLoopEnded)
      pass(.beforeWaiting, .afterWaiting, .beforeWaiting, .afterWaiting, .beforeWaiting)
      #expect(loop.wakeUps == 2 && loop.alarms == [])
    }
  }

  @Test(arguments: [RunLoop.Mode.default, .common]) func aLoopWhoseTasksWaitSleepsUntilTheEarliest(mode: RunLoop.Mode) {
    inRun {
      for seconds in [2_000, 1_000] { queue.perform(after: .seconds(seconds), forModes: [mode]) {} }
      pass(.beforeWaiting)
      #expect(loop.wakeUps == 0 && loop.alarms.count == 1)
      #expect((990...1_001).contains(loop.alarms.last ?? 0))
    }
  }

  /// Whoever schedules in an observer before that of the tasks, or cancels, needs no wake-up.
  @Test func aTaskThatIsScheduledInAnAfterWaitingObserverCostsNothing() {
    inRun {
      for _ in 1...100 {
        pass(.beforeWaiting)
        scheduler.handle(.afterWaiting, in: .default)
        queue.perform {}.cancel()
        loop.wakeUps = 0
        queue.perform {}
        #expect(loop.wakeUps == 0)
        pass(.afterWaiting)
      }
      #expect(loop.alarms == [])
    }
  }

  @Test(arguments: [RunLoopTask.Timing.currentLoopEnded, .idle])
  func anObserverThatSchedulesInEachPassMakesTheLoopBackOff(_ timing: RunLoopTask.Timing) {
    inRun {
      for _ in 1...20 {
        queue.perform(when: timing) {}
        pass(.beforeWaiting, .afterWaiting)
      }
      #expect(loop.wakeUps <= 5)
      #expect(loop.alarms.allSatisfy { $0 <= 0.11 } && loop.alarms.count { $0 >= 0.05 } >= 14)
    }
  }

  @Test func tasksWithPassesInBetweenDoNotMakeTheLoopBackOff() {
    inRun {
      for _ in 1...10 {
        queue.perform(when: .currentLoopEnded) {}
        pass(.beforeWaiting, .afterWaiting, .beforeWaiting, .afterWaiting)
      }
      #expect(loop.wakeUps == 10 && loop.alarms == [])
    }
  }

  /// The pass that follows each batch is not put off, however many batches others have caused.
  @Test func postsInEachPassDoNotMakeTheLoopBackOff() {
    inRun {
      for _ in 1...10 {
        post(.currentLoopEnded)
        pass(.beforeWaiting, .afterWaiting)
      }
      #expect(loop.alarms == [])
    }
  }

  @Test func commandsInEachPassDoNotMakeTheLoopBackOff() {
    let mostRechecks = Box(0)
    addSource { source, commands in
      mostRechecks.value = max(mostRechecks.value, Scheduler.current.runs.rechecks)
      guard commands[0] < 9 else { return source.invalidate() }
      RunLoop.current.perform { source.send(commands[0] + 1) }.when(.currentLoopEnded)
    }.send(1)
    run()
    #expect(mostRechecks.value == 0)
  }

  /// What else causes a pass is no recheck.
  @Test func garbageAndCallbacksCountAsNoRechecks() {
    var run = Run(mode: .default, pass: nil)
    run.noteTasks()
    let waiting = run.endPass([], hasGarbage: false, isCalledBack: true)
    run.noteTasks()
    let releasing = run.endPass([], hasGarbage: true, isCalledBack: false)
    #expect(waiting == .sleep && releasing == .pass && run.rechecks == 0)
  }

  /// A timer of the run around it may hold the callback up.
  @Test func aNestedRunDoesNotSleepOnTasksWhileIdleOnesWait() {
    inRun {
      loop.running.append(.default)
      pass(.entry)
      queue.budget = .nanoseconds(1)
      for timing in [RunLoopTask.Timing.currentLoopEnded, .currentLoopEnded, .idle] { queue.perform(when: timing) {} }
      pass(.beforeWaiting)
      #expect(scheduler.runs.idleWait.isOn && loop.wakeUps == 1)
      pass(.exit)
      loop.running.removeLast()
    }
  }

  @Test func aCancelledDelayLeavesNoAlarm() {
    inRun {
      let task = queue.perform(after: .seconds(1_000)) {}
      pass(.beforeWaiting, .afterWaiting)
      #expect(loop.isAlarmSet)
      task.cancel()
      pass(.beforeWaiting, .afterWaiting, .beforeWaiting)
      #expect(!loop.isAlarmSet)
    }
  }

  /// The loop sleeps until the delay ends, and not until the key can be forgotten.
  @Test func theMemoryOfAThrottledKeyNeedsNoPass() {
    inRun {
      queue.perform(coalescedBy: "key", atMostEvery: .seconds(1)) {}
      queue.perform(after: .seconds(1_000)) {}
      pass(.afterWaiting, .beforeWaiting, .afterWaiting, .beforeWaiting)
      #expect((loop.alarms.last ?? 0) > 900)
    }
  }

  #if os(Linux)
    @Test func aTaskTakesAtMost104Bytes() {
      let size = unsafeBitCast(dlsym(nil, "malloc_usable_size"), to: (@convention(c) (UnsafeRawPointer) -> Int).self)
      // The least of some, because malloc may give a little more than was asked for.
      let tasks = (1...20).map { _ in queue.perform {} }
      #expect(tasks.map { size(Unmanaged.passUnretained($0).toOpaque()) }.min()! <= 104)
    }
  #endif
}
