import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// The last pass of a `RunLoopThread`: what was sent before `stop` runs.
@Suite(.onOwnLoop) struct ThreadLastPassTests {
  private let thread = RunLoopThread(name: "worker")
  private let log = Log()
  private var queue: RunLoopTaskQueue { thread.taskQueue }

  /// Calls `body` while the thread is in a task at the end of a pass, so that `body` decides what the thread finds
  /// next.
  private func atTheEndOfAPass(_ body: () -> Void) {
    let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    queue.perform(when: .currentLoopEnded) {
      hasBegun.signal()
      mayEnd.waitOrDie("what comes before the end of the pass")
    }
    hasBegun.waitOrDie("the end of a pass")
    body()
    mayEnd.signal()
  }

  // MARK: what runs

  @Test func tasksOfAllTimingsRunInTheOrderOfAPass() {
    atTheEndOfAPass {
      for mode in [RunLoop.Mode.default, .common] {
        for timing in [RunLoopTask.Timing.idle, .nextLoopBegan, .currentLoopEnded] {
          queue.perform(when: timing, forModes: [mode]) { log("\(timing)") }
        }
      }
      thread.stop()
    }
    join(thread)
    let ordered = ["currentLoopEnded", "nextLoopBegan", "idle"]
    #expect(log.events == ordered.flatMap { [$0, $0] })
  }

  @Test func whatWaitsOrIsInOtherModesIsCancelled() {
    let kept = queue.perform(coalescedBy: "key", atMostEvery: .seconds(3_000)) {}
    waitUntil { kept.state == .finished }
    var (cancelled, ran): ([RunLoopTask], RunLoopTask?) = ([], nil)
    atTheEndOfAPass {
      cancelled = [
        queue.perform(forModes: [.custom]) { log("other mode") },
        queue.perform(after: .seconds(3_000)) { log("delay") },
        queue.perform(coalescedBy: "key", atMostEvery: .seconds(3_000)) { log("interval") },
      ]
      ran = queue.perform(forModes: [.custom, .default]) { log("both modes") }
      thread.stop()
    }
    join(thread)
    #expect(log.events == ["both modes"])
    #expect(cancelled.map(\.state) == [.cancelled, .cancelled, .cancelled])
    #expect(ran?.state == .finished)
  }

  @Test func neitherABudgetNorASliceEndsTheLastPass() {
    queue.budget = .nanoseconds(1)
    atTheEndOfAPass {
      for timing in RunLoopTask.Timing.allCases {
        for _ in 1...5 { queue.perform(when: timing) { log("\(queue.remainingBudget == nil)") } }
      }
      thread.stop()
    }
    join(thread)
    #expect(log.events == Array(repeating: "true", count: 15))
  }

  @Test func idleTasksThatTakeLongAllRun() {
    atTheEndOfAPass {
      for _ in 1...4 {
        queue.perform(when: .idle) {
          let start = DispatchTime.now()
          while DispatchTime.now() < start + .milliseconds(5) {}
          log("ran")
        }
      }
      thread.stop()
    }
    join(thread)
    #expect(log.events.count == 4)
  }

  @Test func theTasksRunInsideARunOfTheDefaultMode() {
    atTheEndOfAPass {
      queue.perform(when: .idle) {
        log(RunLoop.current.currentMode == .default ? "default" : "other")
        log(Thread.current.name ?? "")
      }
      thread.stop()
    }
    join(thread)
    #expect(log.events == ["default", "worker"])
  }

  @Test func sourcesAndTimersThatAreReadyHaveTheirTurn() {
    let source = RunLoopSource<Int> { log("\($0)") }
    queue.addAndWait(source)
    atTheEndOfAPass {
      source.send(1)
      source.send(2)
      thread.stop()
    }
    join(thread)
    #expect(log.events == ["[1, 2]"])
  }

  @Test func callersOfWhatRunsGetTheValueAndOthersAnError() async throws {
    var callers: [Task<Int, any Error>] = []
    atTheEndOfAPass {
      callers = [RunLoop.Mode.default, .custom].map { mode in
        Task { [queue] in try await queue.run(when: .idle, forModes: [mode]) { 7 } }
      }
      waitUntil { queue.count == 2 }
      thread.stop()
    }
    #expect(try await callers[0].value == 7)
    await #expect(throws: CancellationError.self) { try await callers[1].value }
  }

  // MARK: what does not run

  @Test(arguments: RunLoopTask.Timing.allCases) func aTaskThatReschedulesItselfRunsOnceMore(
    _ timing: RunLoopTask.Timing
  ) {
    let latest = Box<RunLoopTask?>(nil)
    @Sendable func schedule() -> RunLoopTask {
      queue.perform(when: timing) {
        log("ran")
        thread.stop()
        latest.value = schedule()  // only the thread sets this
      }
    }
    _ = schedule()
    join(thread)
    #expect(log.events == ["ran", "ran"])
    #expect(latest.value?.state == .cancelled)
  }

  /// The new task is in line before the nested run is left, as those for the next `entry` are.
  @Test func whatARunNestedAtItsEntrySchedulesDoesNotRun() {
    queue.perform { [log, thread] in
      observeOnce(.entry) {
        RunLoop.current.perform { RunLoop.current.perform { log("new") }.when(.nextLoopBegan) }.when(.idle)
        RunLoop.current.perform {}.when(.currentLoopEnded)  // so that the idle task runs at the exit
        RunLoop.current.runPass()
        log("nested")
      }
      thread.stop()
    }
    join(thread)
    #expect(log.events == ["nested"])
  }

  @Test func cancelAllBeforeStopEndsItAtOnce() {
    atTheEndOfAPass {
      for timing in RunLoopTask.Timing.allCases { queue.perform(when: timing) { log("\(timing)") } }
      queue.cancelAll()
      thread.stop()
    }
    join(thread)
    #expect(log.events == [])
  }

  enum Nested: CaseIterable { case passes, polls }

  /// What a task of the last pass waits for in a nested run has its turn there.
  @Test(arguments: Nested.allCases) func aTaskOfTheLastPassMayStopTheThreadAndRunTheLoop(_ nested: Nested) {
    atTheEndOfAPass {
      queue.perform(when: .currentLoopEnded) {
        thread.stop()
        for timing in RunLoopTask.Timing.allCases {
          RunLoop.current.perform { log("\(timing)") }.when(timing)
        }
        switch nested {
        case .passes: RunLoop.current.runUntilTasksFinish()
        case .polls: while log.events.count < 3 { poll() }
        }
        log("nested run ended")
        RunLoop.current.perform { log("too late") }.when(.nextLoopBegan)
      }
      queue.perform { log("waits for its turn") }
      thread.stop()
    }
    join(thread)
    #expect(log.events.last == "nested run ended")
    #expect(log.events.count == 5)
  }

  // MARK: what cuts a run short

  @Test(arguments: RunLoopTask.Timing.allCases) func aTaskThatStopsTheRunTakesNoTurnFromOthers(
    _ timing: RunLoopTask.Timing
  ) {
    atTheEndOfAPass {
      queue.perform(when: timing) { stopRun() }
      for timing in RunLoopTask.Timing.allCases { queue.perform(when: timing) { log("\(timing)") } }
      thread.stop()
    }
    join(thread)
    #expect(log.events == ["currentLoopEnded", "nextLoopBegan", "idle"])
  }

  @Test func anObserverThatStopsTheRunTakesNoTurnFromTasks() {
    let isLast = Box(false)
    queue.perform(when: .currentLoopEnded) { observe(.beforeTimers) { _ in if isLast.value { stopRun() } } }
    atTheEndOfAPass {
      for timing in RunLoopTask.Timing.allCases { queue.perform(when: timing) { log("\(timing)") } }
      isLast.value = true
      thread.stop()
    }
    join(thread)
    #expect(log.events.sorted() == ["currentLoopEnded", "idle", "nextLoopBegan"])
  }

  // MARK: runs that do not come to sleep

  /// The last pass follows the run instead of being nested in it.
  @Test func aRunThatATaskHasStoppedIsFollowedByTheLastPass() {
    queue.perform {
      observe(.exit, order: Order.last) { _ in
        guard log.events.isEmpty else { return }
        log("exit")
        for timing in [RunLoopTask.Timing.idle, .nextLoopBegan, .currentLoopEnded] {
          queue.perform(when: timing) { log("\(timing)") }
        }
      }
      thread.stop()
      stopRun()
    }
    join(thread)
    #expect(log.events == ["exit", "currentLoopEnded", "nextLoopBegan", "idle"])
  }

  @Test func aSourceThatIsAlwaysReadyTakesNoTurnFromTasks() async throws {
    let source = Box<UnsafeSource?>(nil)
    try await queue.run {
      let made = Source { source.value?.source.signal() }
      source.value = UnsafeSource(source: made)
      made.signal()
    }
    for timing in RunLoopTask.Timing.allCases { queue.perform(when: timing) { log("\(timing)") } }
    thread.stop()
    await thread.join()
    #expect(log.events.sorted() == ["currentLoopEnded", "idle", "nextLoopBegan"])
    source.value = nil
  }

  // MARK: time

  /// Nobody has looked since.
  @Test func aTaskWhoseDelayHasEndedRuns() {
    queue.perform(when: .currentLoopEnded) {
      RunLoop.current.perform { log("ran") }.after(.seconds(10))
      RunLoop.current.perform { log("too early") }.after(.seconds(30))
      keepBusy(for: .seconds(20))
      thread.stop()
    }
    join(thread)
    #expect(log.events == ["ran"])
  }
}

private struct UnsafeSource: @unchecked Sendable {
  // Unchecked, because only the thread of its loop uses the source as long as that runs.
  let source: Source
}
