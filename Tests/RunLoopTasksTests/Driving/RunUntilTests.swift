import Foundation
import RunLoopTasks
import Testing

/// `RunLoop.runUntil`.
@Suite(.onOwnLoop) struct RunUntilTests {
  let log = Log()

  // MARK: checks of the condition

  @Test func theConditionIsCheckedFirst() {
    logActivities(log)
    RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
    log("\(RunLoop.current.runUntil { true })")
    #expect(log.events == ["true"])
  }

  @Test func theConditionIsCheckedBeforeEachSleep() {
    let holds = Box(false)
    observe(.beforeWaiting, order: Order.app) { _ in holds.value = true }
    observe(.afterWaiting) { _ in log("woken") }
    log("\(RunLoop.current.runUntil(timeout: nil) { holds.value })")
    // The run is stopped as it goes to sleep, so it may wake once.
    #expect(log.events.last == "true" && log.events.count <= 2)
  }

  @Test(arguments: RunLoopTask.Timing.allCases) func theConditionIsCheckedAfterTasks(timing: RunLoopTask.Timing) {
    let holds = Box(false)
    RunLoop.current.perform {
      log("task")
      holds.value = true
    }.when(timing)
    log("\(RunLoop.current.runUntil(timeout: nil) { holds.value })")
    #expect(log.events == ["task", "true"])
  }

  /// Another thread wakes the loop, which has nothing to do.
  @Test func theConditionIsCheckedAfterEachWakeUp() {
    let loop = LoopThread()
    let (holds, isGoingToSleep, result) = (Box(false), DispatchSemaphore(value: 0), Box<Bool?>(nil))
    let isDone = DispatchSemaphore(value: 0)
    Thread {
      loop.perform {
        observe(.beforeWaiting, order: Order.last) { _ in isGoingToSleep.signal() }
        result.value = RunLoop.current.runUntil(timeout: nil) { holds.value }
        isDone.signal()
      }
    }.start()
    isGoingToSleep.waitOrDie("the loop to go to sleep")
    waitUntil { loop.isSleeping }
    holds.value = true
    loop.wakeUp()
    isDone.waitOrDie("the end of runUntil")
    #expect(result.value == true)
    loop.end()
  }

  /// The run ends after a source. An observer of the exit makes the condition true.
  @Test func theConditionIsCheckedWhenTheRunEnds() {
    let holds = Box(false)
    let source = Source { stopRun() }
    source.signal()
    observe(.exit) { _ in holds.value = true }
    observe(.beforeWaiting) { _ in log("sleeps") }
    log("\(RunLoop.current.runUntil(timeout: nil) { holds.value })")
    #expect(log.events == ["true"])
  }

  @Test func runUntilContinuesAfterATaskStopsTheRun() {
    let holds = Box(false)
    RunLoop.current.perform {
      stopRun()
      RunLoop.current.perform { holds.value = true }.after(.milliseconds(5))
    }.when(.nextLoopBegan)
    log("\(RunLoop.current.runUntil(timeout: nil) { holds.value })")
    #expect(log.events == ["true"])
  }

  // MARK: waiting

  @Test func runUntilSleepsWhenThereIsNothingToDo() {
    let (checks, holds) = (Counter(), Box(false))
    RunLoop.current.perform { holds.value = true }.after(.milliseconds(20))
    let result = RunLoop.current.runUntil(timeout: nil) {
      checks.count()
      return holds.value
    }
    #expect(result)
    #expect(checks.value <= 20)  // A loop that polls checks thousands of times.
  }

  @Test(arguments: [Duration.zero, .milliseconds(5), .seconds(-1), .seconds(Int64.min)])
  func runUntilReturnsFalseAtTheTimeout(timeout: Duration) {
    let start = ContinuousClock.now
    #expect(!RunLoop.current.runUntil(timeout: timeout) { false })
    #expect(start.duration(to: .now) >= timeout)
  }

  @Test(arguments: [Duration.zero, .milliseconds(5)])
  func runUntilReturnsFalseAtTheTimeoutOfABusyLoop(timeout: Duration) {
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

  /// There is at least one pass.
  @Test func withATimeoutOfZeroTheDueTasksRun() {
    let holds = Box(false)
    RunLoop.current.perform { holds.value = true }.when(.idle)
    log("\(RunLoop.current.runUntil(timeout: .zero) { holds.value })")
    #expect(log.events == ["true"])
  }

  @Test func runUntilWaitsInAnEmptyMode() {
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
    isDone.waitOrDie("the end of runUntil")
    #expect(result.value == true)
    loop.end()
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(1e18)]) func aHugeTimeoutCountsAsNone(timeout: Duration) {
    let holds = Box(false)
    RunLoop.current.perform { holds.value = true }.when(.nextLoopBegan)
    #expect(RunLoop.current.runUntil(timeout: timeout) { holds.value })
    RunLoop.current.perform {}.when(.nextLoopBegan)
    #expect(RunLoop.current.runUntilTasksFinish(timeout: timeout))
  }

  @Test func runUntilLeavesNothingInTheMode() {
    RunLoop.current.runUntil(timeout: .zero) { false }
    #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
  }
}
