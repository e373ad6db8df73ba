import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 3a: a loop whose tasks wait sleeps until the earliest, and no end is slept on.
@Suite struct DelayLivenessTests {
  /// Delays of different lengths, in the mode and in the common modes: one waking for each. If the machine is slow, several end at once.
  @Test func theLoopSleepsUntilTheEarliestDelayEnds() {
    let (passes, events) = onLoopThread {
      let (log, passes) = (Log(), Counter())
      observe(.beforeWaiting) { _ in passes.count() }
      for number in (1...10).reversed() {
        RunLoop.current.perform { log("\(number)") }.after(.milliseconds(5 * number)).forModes(
          number % 2 == 0 ? .default : .common)
      }
      run()
      return (passes.value, log.events)
    }
    // On a busy machine two may end in one sleep, and then their timings tell which comes first.
    #expect(Set(events) == Set((1...10).map { "\($0)" }) && events.count == 10)
    // A loop that polls makes thousands. A timer may come a moment early, and each task may cost two turns.
    #expect(passes <= 60)
  }

  @Test func aLoopWhoseTasksWaitForLongDoesNotWake() {
    let loop = LoopThread()
    let passes = Counter()
    let isRunning = DispatchSemaphore(value: 0)
    Thread {
      loop.perform {
        for delay in [3_000, 4_000] {
          RunLoop.current.perform {}.when(.idle).after(.seconds(delay)).within(.seconds(5_000))
        }
        RunLoop.current.perform {}.coalesced(by: 1, atMostEvery: .seconds(3_000))
        observe(.beforeWaiting) { _ in
          passes.count()
          isRunning.signal()
        }
        run()
      }
    }.start()
    isRunning.waitOrDie("the run")
    Thread.sleep(forTimeInterval: 0.05)  // in which a loop that polls makes many passes
    #expect(passes.value <= 5)
    loop.queue.perform(when: .currentLoopEnded) { stopRun() }
    loop.end()
  }

  /// A delayed task is no reason to hold up what waits for an idle loop.
  @Test func anIdleTaskDoesNotWaitForADelay() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform {}.after(.seconds(3_000))
      RunLoop.current.perform {
        log("idle")
        stopRun()
      }.when(.idle)
      run()
    }
    #expect(events == ["idle"])
  }

  /// Whatever the loop was doing: the last observer before it sleeps schedules a delayed task.
  @Test(
    arguments: [RunLoop.Activity.beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting],
    [Order.first, Order.last])
  func aDelayThatBeginsAtAnyActivityIsNotSleptOn(activity: RunLoop.Activity, order: Int) {
    let events = eventsOnLoopThread { log in
      let (keepAlive, once) = (ModeHolder(), Counter())
      RunLoop.current.perform {}.when(.currentLoopEnded)  // so that there is a waking
      observe(activity, order: order) { _ in
        guard once.count() == 1 else { return }
        RunLoop.current.perform {
          log("task")
          stopRun()
        }.after(.milliseconds(5))
      }
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["task"])
  }

  /// The loop sleeps until a late end when another thread asks for an early one.
  @Test(arguments: [true, false]) func anEarlierDelayFromAnotherThreadIsHeard(isAmendment: Bool) {
    let events = eventsOnLoopThread { log in
      let (queue, once) = (RunLoop.current.taskQueue, Counter())
      let task = RunLoop.current.perform { log("amended") }.after(.seconds(3_000))
      observe(.beforeWaiting, order: Order.last) { _ in
        guard once.count() == 2 else { return CFRunLoopWakeUp(CFRunLoopGetCurrent()) }
        elsewhere {
          if isAmendment {
            task.after(.milliseconds(5))
          } else {
            queue.perform(after: .milliseconds(5)) { task.cancel() }
          }
        }
      }
      run()
      log("\(task.state)")
    }
    #expect(events == (isAmendment ? ["amended", "finished"] : ["cancelled"]))
  }

  /// A nested run in another mode uses up its wake-ups.
  @Test func aDelayThatEndsInANestedRunOfAnotherModeIsNotForgotten() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("outer") }.after(.milliseconds(5))
      RunLoop.current.perform {
        RunLoop.current.perform { log("inner") }.after(.milliseconds(20)).forModes(.custom)
        run(.custom)
      }.when(.currentLoopEnded)
      run()
    }
    #expect(events == ["inner", "outer"])
  }
}
