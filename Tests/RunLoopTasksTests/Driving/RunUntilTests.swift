import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 6: `runUntil(mode:timeout:_:)`.
@Suite struct RunUntilTests {
  // MARK: when it looks

  @Test func theConditionIsLookedAtFirstOfAll() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
      log("\(RunLoop.current.runUntil { true })")
    }
    #expect(events == ["true"])
  }

  @Test func theConditionIsLookedAtBeforeEachSleep() {
    let events = eventsOnLoopThread { log in
      let holds = Box(false)
      observe(.beforeWaiting, order: Order.app) { _ in holds.value = true }
      observe(.afterWaiting) { _ in log("woken") }
      log("\(RunLoop.current.runUntil(timeout: nil) { holds.value })")
    }
    // It is stopped on its way to sleep, so it may wake once.
    #expect(events.last == "true" && events.count <= 2)
  }

  /// The tasks that run before the loop sleeps are behind it.
  @Test(arguments: RunLoopTask.Timing.allCases) func aTaskMayMakeItHold(timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      let holds = Box(false)
      RunLoop.current.perform {
        log("task")
        holds.value = true
      }.when(timing)
      log("\(RunLoop.current.runUntil(timeout: nil) { holds.value })")
    }
    #expect(events == ["task", "true"])
  }

  /// Another thread wakes the loop, and nothing is there to be done.
  @Test func theConditionIsLookedAtAfterEachWaking() {
    let loop = LoopThread()
    let (holds, isOnItsWay, result) = (Box(false), DispatchSemaphore(value: 0), Box<Bool?>(nil))
    let isDone = DispatchSemaphore(value: 0)
    Thread {
      loop.perform {
        observe(.beforeWaiting, order: Order.last) { _ in isOnItsWay.signal() }
        result.value = RunLoop.current.runUntil(timeout: nil) { holds.value }
        isDone.signal()
      }
    }.start()
    isOnItsWay.waitOrDie("the run")
    waitUntil { loop.isSleeping }
    holds.value = true
    loop.queue.scheduler.wakeFromAnyThread()
    isDone.waitOrDie("runUntil")
    #expect(result.value == true)
    loop.end()
  }

  /// A source is served, after which this run is left; and what is at its exit may make the condition hold.
  @Test func theConditionIsLookedAtWhenTheRunIsLeft() {
    let events = eventsOnLoopThread { log in
      let holds = Box(false)
      let source = Source { stopRun() }
      source.signal()
      observe(.exit) { _ in holds.value = true }
      observe(.beforeWaiting) { _ in log("sleeps") }
      log("\(RunLoop.current.runUntil(timeout: nil) { holds.value })")
    }
    #expect(events == ["true"])
  }

  @Test func aRunThatSomebodyStopsGoesOn() {
    let events = eventsOnLoopThread { log in
      let holds = Box(false)
      RunLoop.current.perform {
        stopRun()
        RunLoop.current.perform { holds.value = true }.after(.milliseconds(5))
      }.when(.nextLoopBegan)
      log("\(RunLoop.current.runUntil(timeout: nil) { holds.value })")
    }
    #expect(events == ["true"])
  }

  // MARK: how it waits

  @Test func itSleepsWhenThereIsNothingToDo() {
    let (result, looks) = onLoopThread {
      let (looks, holds) = (Counter(), Box(false))
      RunLoop.current.perform { holds.value = true }.after(.milliseconds(20))
      let result = RunLoop.current.runUntil(timeout: nil) {
        looks.count()
        return holds.value
      }
      return (result, looks.value)
    }
    #expect(result)
    #expect(looks <= 20)  // one that polls looks thousands of times
  }

  @Test(arguments: [Duration.zero, .milliseconds(5), .seconds(-1), .seconds(Int64.min)])
  func itIsFalseAtTheTimeout(timeout: Duration) {
    onLoopThread {
      let start = ContinuousClock.now
      #expect(!RunLoop.current.runUntil(timeout: timeout) { false })
      #expect(start.duration(to: .now) >= timeout)
    }
  }

  @Test(arguments: [Duration.zero, .milliseconds(5)])
  func itIsFalseAtTheTimeoutOfALoopThatIsAlwaysBusy(timeout: Duration) {
    onLoopThread {
      func again() { RunLoop.current.perform(again).when(.currentLoopEnded) }
      again()
      let source = Box<RunLoopSource<Int>?>(nil)
      source.value = RunLoopSource { _ in _ = source.value?.send(1) }
      RunLoop.current.add(source.value!, forMode: .default)
      source.value!.send(1)
      #expect(!RunLoop.current.runUntil(timeout: timeout) { false })
      source.value!.invalidate()
      source.value = nil
    }
  }

  /// Tasks run until the time is over, which is at least one pass.
  @Test func withoutTimeTheTasksThatAreDueRun() {
    let events = eventsOnLoopThread { log in
      let holds = Box(false)
      RunLoop.current.perform { holds.value = true }.when(.idle)
      log("\(RunLoop.current.runUntil(timeout: .zero) { holds.value })")
    }
    #expect(events == ["true"])
  }

  @Test func anEmptyModeIsWaitedInToo() {
    let loop = LoopThread()
    let (holds, isDone) = (Box(false), DispatchSemaphore(value: 0))
    let result = Box<Bool?>(nil)
    Thread {
      loop.perform {
        result.value = RunLoop.current.runUntil(mode: .other, timeout: nil) { holds.value }
        isDone.signal()
      }
    }.start()
    waitUntil { loop.isSleeping }
    loop.queue.perform(forModes: [.other]) { holds.value = true }
    isDone.waitOrDie("runUntil")
    #expect(result.value == true)
    loop.end()
  }

  @Test func tasksOfOtherModesDoNotRun() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("default") }.when(.currentLoopEnded)
      RunLoop.current.perform { log("custom") }.when(.currentLoopEnded).forModes(.custom)
      RunLoop.current.runUntil(mode: .custom, timeout: .milliseconds(5)) { false }
    }
    #expect(events == ["custom"])
  }

  @Test func itLeavesNoTraceOnTheLoop() {
    onLoopThread {
      RunLoop.current.runUntil(timeout: .zero) { false }
      #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
    }
  }
}
