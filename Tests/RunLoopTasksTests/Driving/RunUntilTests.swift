import Foundation
import RunLoopTasks
import Testing

/// `RunLoop.runUntil`.
@Suite(.onOwnLoop) struct RunUntilTests {
  let log = Log()
  let holds = Box(false)

  /// Runs the loop without a timeout until the condition holds, and logs the result.
  private func runUntilItHolds(mode: RunLoop.Mode = .default) {
    RunLoop.current.runUntil(mode: mode) { holds.value }
    log("holds \(holds.value)")
  }

  // MARK: checks of the condition

  @Test func theConditionIsCheckedFirst() {
    logActivities(log)
    RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
    RunLoop.current.runUntil { true }
    #expect(RunLoop.current.runUntil(timeout: .seconds(1)) { true })
    #expect(log.events == [])
  }

  @Test(arguments: [Order.app, Order.frame]) func theConditionIsCheckedBeforeEachSleep(order: Int) {
    observe(.beforeWaiting, order: order) { _ in holds.value = true }
    observe(.afterWaiting) { _ in log("woken") }
    runUntilItHolds()
    // The run is stopped as it goes to sleep, so it may wake once.
    #expect(log.events.last == "holds true" && log.events.count <= 2)
  }

  enum Waking: CaseIterable { case byNothingToDo, byATask }

  /// Another thread wakes the loop, which waits in a mode that is empty.
  @Test(arguments: Waking.allCases) func theConditionIsCheckedAfterEachWakeUp(_ waking: Waking) {
    let loop = LoopThread()
    let waiting = JoinableThread { loop.perform { runUntilItHolds(mode: .other) } }
    waitUntil { loop.isSleeping }
    switch waking {
    case .byNothingToDo:
      holds.value = true
      loop.wakeUp()
    case .byATask: loop.queue.perform(forModes: [.other]) { holds.value = true }
    }
    waiting.join()
    #expect(log.events == ["holds true"])
  }

  /// A source that always has commands comes first.
  @Test func aBusySourceStarvesNoOther() {
    let batches = Counter()
    addSource(order: -1) { source, _ in
      batches.count()
      source.send(1)
    }.send(1)
    addSource { _, _ in log("delivered") }.send(1)
    RunLoop.current.runUntil { !log.events.isEmpty || batches.value > 100 }
    #expect(log.events == ["delivered"])
  }

  /// The run ends after a source. An observer of the exit makes the condition true.
  @Test func theConditionIsCheckedWhenTheRunEnds() {
    let source = Source { stopRun() }
    source.signal()
    observe(.exit) { _ in holds.value = true }
    observe(.beforeWaiting) { _ in log("sleeps") }
    runUntilItHolds()
    #expect(log.events == ["holds true"])
  }

  @Test func runUntilContinuesAfterATaskStopsTheRunAndSleepsWhenThereIsNothingToDo() {
    let checks = Counter()
    RunLoop.current.perform {
      stopRun()
      RunLoop.current.perform { holds.value = true }.after(.milliseconds(20))
    }.when(.nextLoopBegan)
    RunLoop.current.runUntil {
      checks.count()
      return holds.value
    }
    #expect(checks.value <= 20)  // A loop that polls checks thousands of times.
  }

  // MARK: the timeout

  @Test(arguments: [Duration.zero, .milliseconds(5), .seconds(-1), .seconds(Int64.min), .seconds(Int64.min) * 2])
  func runUntilReturnsFalseAtTheTimeoutAndLeavesNothingInTheMode(timeout: Duration) {
    let start = ContinuousClock.now
    #expect(!RunLoop.current.runUntil(timeout: timeout) { false })
    #expect(start.duration(to: .now) >= timeout)
    #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
  }

  @Test(arguments: [Duration.zero, .milliseconds(5)])
  func runUntilReturnsFalseAtTheTimeoutOfABusyLoop(timeout: Duration) {
    func again() { RunLoop.current.perform(again).when(.currentLoopEnded) }
    again()
    addSource { source, _ in source.send(1) }.send(1)
    #expect(!RunLoop.current.runUntil(timeout: timeout) { false })
  }

  /// There is at least one pass.
  @Test func withATimeoutOfZeroTheDueTasksRun() {
    RunLoop.current.perform { holds.value = true }.when(.idle)
    #expect(RunLoop.current.runUntil(timeout: .zero) { holds.value })
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(1e18), .seconds(Int64.max) * 2])
  func aHugeTimeoutCountsAsNone(timeout: Duration) {
    RunLoop.current.perform { holds.value = true }.when(.currentLoopEnded)
    #expect(RunLoop.current.runUntil(timeout: timeout) { holds.value })
    RunLoop.current.perform {}.when(.nextLoopBegan)
    #expect(RunLoop.current.runUntilTasksFinish(timeout: timeout))
  }

  // MARK: nested runs

  /// Only the call keeps its mode alive, and no run in it.
  @Test func aRunNestedInABlockReturnsIfTheModeIsEmpty() {
    RunLoop.current.perform(inModes: [.custom]) {
      run(.custom)
      holds.value = true
    }
    runUntilItHolds(mode: .custom)
    #expect(log.events == ["holds true"])
  }

  /// If `isInnerLater`, the outer condition becomes true in the inner run, which continues until its own condition
  /// holds.
  @Test(arguments: [RunLoop.Mode.default, .custom], [true, false])
  func aTaskMayCallRunUntil(mode: RunLoop.Mode, isInnerLater: Bool) {
    let innerHolds = Box(false)
    RunLoop.current.perform {
      if isInnerLater { holds.value = true }
      RunLoop.current.perform { innerHolds.value = true }.forModes(mode).after(.milliseconds(5))
      RunLoop.current.runUntil(mode: mode) { innerHolds.value }
      log("inner \(innerHolds.value)")
      RunLoop.current.perform { holds.value = true }.after(.milliseconds(5))
    }.when(.nextLoopBegan)
    runUntilItHolds()
    #expect(log.events == ["inner true", "holds true"])
  }

  @Test func theConditionDoesNotStopANestedRunOfATask() {
    RunLoop.current.perform {
      keepAlive(.default)
      holds.value = true
      RunLoop.current.perform { log.andStop("nested") }.after(.milliseconds(5))
      run()
    }.when(.nextLoopBegan)
    runUntilItHolds()
    #expect(log.events == ["nested", "holds true"])
  }

  @Test func theLoopDoesNotSleepOnATaskThatTheConditionSchedules() {
    let once = Counter()
    RunLoop.current.runUntil {
      if once.count() == 2 { RunLoop.current.perform { holds.value = true }.when(.idle) }
      return holds.value
    }
  }

  /// The limit of the outer run wakes the loop, and the nested run consumes the wake-up. No other check follows before
  /// the outer run sleeps.
  @Test func theTimeoutMayPassInANestedRun() {
    keepAlive(.default)
    func performNestedRun() {
      performBlock { log("nested \(RunLoop.current.runUntil(mode: .custom, timeout: .milliseconds(20)) { false })") }
    }
    performNestedRun()
    log("outer \(RunLoop.current.runUntil(timeout: .milliseconds(1)) { false })")
    let task = RunLoop.current.perform {}.after(.seconds(3600))
    performNestedRun()
    log("tasks \(RunLoop.current.runUntilTasksFinish(timeout: .milliseconds(1)))")
    task.cancel()
    #expect(log.events == ["nested false", "outer false", "nested false", "tasks false"])
  }
}
