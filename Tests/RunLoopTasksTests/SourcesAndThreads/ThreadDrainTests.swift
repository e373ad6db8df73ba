import Foundation
import RunLoopTasks
import Testing

/// What was sent before `stop` runs. The commands of sources have tests of their own.
@Suite(.onOwnLoop) struct ThreadDrainTests {
  private let thread = RunLoopThread(name: "worker")
  private let log = Log()
  private var queue: RunLoopTaskQueue { thread.taskQueue }

  /// They are sent once the pass under way has had its tasks.
  @Test func theDrainRunsTasksOfAllTimingsInTheirOrderOutsideAnyRun() {
    let timings = Array(RunLoopTask.Timing.allCases.reversed())
    thread.stop { [queue] in
      for timing in timings {
        for modes in [[RunLoop.Mode.common], [.custom, .default]] {
          queue.perform(when: timing, forModes: modes) {
            log(RunLoop.current.currentMode == nil ? "\(timing)" : "\(timing) in a run")
          }
        }
      }
      queue.perform(order: -1) { log("first") }
    }
    join(thread)
    #expect(log.events == ["first"] + timings.flatMap { ["\($0)", "\($0)"] })
  }

  @Test func whatWaitsOrIsInOtherModesIsCancelled() {
    let kept = queue.perform(coalescedBy: "key", atMostEvery: .seconds(3_000)) {}
    waitUntil { kept.state == .finished }
    var cancelled: [RunLoopTask] = []
    thread.stopAndJoin {
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
    thread.stopAndJoin {
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
    // In the pass under way, in two rounds, and once the sources have ended.
    #expect((4...5).contains(log.events.count))
    #expect(latest.value?.state == .cancelled)
  }

  @Test func cancelAllBeforeStopEndsItAtOnce() {
    thread.stopAndJoin {
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
}
