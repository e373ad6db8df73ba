import Foundation
import RunLoopTasks
import Testing

/// What was sent before `stop` runs, tasks and commands.
@Suite(.onOwnLoop) struct ThreadDrainTests {
  private let thread = RunLoopThread(name: "worker")
  private let log = Log()
  private var queue: RunLoopTaskQueue { thread.taskQueue }

  /// Calls `body` while the thread is in a task, then stops the thread and waits for its end.
  private func stop(after body: () -> Void) {
    let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    queue.perform(when: .nextLoopBegan) {
      hasBegun.signal()
      mayEnd.waitOrDie("what comes before the stop")
    }
    hasBegun.waitOrDie("the task")
    body()
    thread.stop()
    mayEnd.signal()
    join(thread)
  }

  // MARK: Tasks

  /// They are sent once the pass under way has had its tasks.
  @Test func theDrainRunsTasksOfAllTimingsInTheirOrderOutsideAnyRun() {
    let timings = Array(RunLoopTask.Timing.allCases.reversed())
    queue.perform { [thread, queue] in
      thread.stop()
      observeOnce(.exit, order: Order.frame) {
        for timing in timings {
          for modes in [[RunLoop.Mode.common], [.custom, .default]] {
            queue.perform(when: timing, forModes: modes) {
              log(RunLoop.current.currentMode == nil ? "\(timing)" : "\(timing) in a run")
            }
          }
        }
        queue.perform(order: -1) { log("first") }
      }
    }
    join(thread)
    #expect(log.events == ["first"] + timings.flatMap { ["\($0)", "\($0)"] })
  }

  @Test func whatWaitsOrIsInOtherModesIsCancelled() {
    let kept = queue.perform(coalescedBy: "key", atMostEvery: .seconds(3_000)) {}
    waitUntil { kept.state == .finished }
    var cancelled: [RunLoopTask] = []
    stop {
      cancelled = [
        queue.perform(forModes: [.custom]) { log("other mode") },
        queue.perform(after: .seconds(3_000)) { log("delay") },
        queue.perform(coalescedBy: "key", atMostEvery: .seconds(3_000)) { log("interval") },
      ]
    }
    #expect(log.events == [])
    #expect(cancelled.map(\.state) == [.cancelled, .cancelled, .cancelled])
    #expect(queue.count == 0 && queue.perform {}.state == .cancelled)
    join(thread)  // returns at once
  }

  @Test func aRequestThatReplacesAnotherIsNotLost() {
    stop {
      queue.perform(when: .idle, coalescedBy: "save") {
        log("saved")
        RunLoop.current.perform(when: .idle, coalescedBy: "save") { log("saved again") }
      }
    }
    #expect(log.events == ["saved", "saved again"])
  }

  @Test func aPostAfterStopDestroysNothing() {
    for _ in 1...300 {
      let thread = RunLoopThread(name: "worker")
      let ran = Counter()
      thread.taskQueue.perform(coalescedBy: 1) { ran.count() }
      thread.stop()
      let late = thread.taskQueue.perform(coalescedBy: 1) { ran.count() }
      join(thread)
      #expect(ran.value > 0 && late.state != .pending)
    }
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func aTaskThatReschedulesItselfDoesNotHoldTheEnd(timing: RunLoopTask.Timing) {
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
    #expect((3...4).contains(log.events.count))  // in the pass under way, and in two rounds
    #expect(latest.value?.state == .cancelled)
  }

  @Test func cancelAllBeforeStopEndsItAtOnce() {
    stop {
      for timing in RunLoopTask.Timing.allCases { queue.perform(when: timing) { log("\(timing)") } }
      queue.cancelAll()
    }
    #expect(log.events == [])
  }

  @Test func callersOfWhatRunsGetTheValueAndOthersAnError() async throws {
    let isHeld = DispatchSemaphore(value: 0)
    let held = queue.perform { isHeld.waitOrDie("the callers") }
    let callers = [RunLoop.Mode.default, .custom].map { mode in
      Task { [queue] in try await queue.run(when: .idle, forModes: [mode]) { 7 } }
    }
    waitUntil { held.state == .running && queue.count == 2 }
    thread.stop()
    isHeld.signal()
    #expect(try await callers[0].value == 7)
    await #expect(throws: CancellationError.self) { try await callers[1].value }
  }

  @Test func aTaskWhoseDelayHasEndedRuns() {
    queue.perform(when: .currentLoopEnded) {
      RunLoop.current.perform { log("ran") }.after(.seconds(10))
      RunLoop.current.perform { log("too early") }.after(.seconds(3_000))
      keepBusy(for: .seconds(20))
      thread.stop()
    }
    join(thread)
    #expect(log.events == ["ran"])
  }

  // MARK: Commands

  @Test func allCommandsAreDeliveredInTheirOrder() {
    let source = RunLoopSource<Int>(batchLimit: 10) { commands in for command in commands { log("\(command)") } }
    stop {
      queue.perform { RunLoop.current.add(source, forMode: .common) }
      for command in 0..<100 { source.send(command) }
    }
    #expect(log.events == (0..<100).map(String.init))
  }

  /// The tasks of a round run before its commands are delivered.
  @Test func tasksAndCommandsThatTheDrainSendsHaveOneMoreRound() {
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource { commands in
      log("commands \(commands)")
      RunLoop.current.perform { log("task of a command") }.when(.idle)
      source.value?.send(commands[0] + 1)
    }
    thread.taskQueue.addAndWait(source.value!)
    let isFirst = Counter()
    queue.perform { [thread] in
      thread.stop()
      observeOnce(.exit) { if isFirst.count() == 1 { source.value?.send(1) } }
    }
    join(thread)
    #expect(log.events == ["commands [1]", "task of a command", "commands [2]"])
    #expect(source.value?.isValid == false)
  }

  @Test func aSourceInOtherModesEndsWithoutADelivery() {
    let source = loggedSource(log)
    thread.taskQueue.addAndWait(source, forModes: [.custom])
    stop { source.send(1) }
    #expect(!source.isValid)
    #expect(log.events == ["scheduled in custom", "cancelled in custom"])
  }

  /// It delivers what it has accepted before, in the sizes that its limit allows.
  @Test func aSourceAcceptsNothingOnceItsLastBatchIsTaken() {
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource(batchLimit: 2, onCancel: { _ in log("cancelled") }) {
      [token = Token { log("released") }] in
      log("\($0): \(source.value!.isValid), \(source.value!.send(9))")
      token.use()
      RunLoop.current.add(source.value!, forMode: .custom)
      RunLoop.current.remove(source.value!, forMode: .default)
    }
    queue.perform { [thread, queue] in
      thread.stop()
      observeOnce(.exit, order: Order.frame) {
        queue.perform { queue.perform(addSource) }  // in the second round
      }
      @Sendable func addSource() {
        RunLoop.current.add(source.value!, forMode: .default)
        for command in 1...3 { source.value!.send(command) }
      }
    }
    join(thread)
    #expect(log.events == ["[1, 2]: false, false", "cancelled", "[3]: false, false", "released"])
  }

  @Test func invalidatingDropsTheRestOfTheLastBatch() {
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource(batchLimit: 1, onCancel: { _ in log("cancelled") }) { commands in
      log("\(commands)")
      if commands == [2] { source.value!.invalidate() }
    }
    thread.taskQueue.addAndWait(source.value!)
    queue.perform { [thread, queue] in
      thread.stop()
      observeOnce(.exit, order: Order.frame) {
        queue.perform { queue.perform { for command in 1...3 { source.value!.send(command) } } }
      }
    }
    join(thread)
    #expect(log.events == ["[1]", "[2]", "cancelled"])
  }

  @Test(arguments: [true, false]) func aSourceThatIsTakenAwayInTheDrainDeliversNoMore(byInvalidation: Bool) {
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource(batchLimit: 1) { commands in
      log("\(commands)")
      if byInvalidation {
        source.value?.invalidate()
      } else {
        RunLoop.current.remove(source.value!, forMode: .default)
      }
    }
    stop {
      queue.perform { RunLoop.current.add(source.value!, forMode: .default) }
      for command in 1...3 { source.value?.send(command) }
    }
    #expect(log.events == ["[1]"])
  }
}
