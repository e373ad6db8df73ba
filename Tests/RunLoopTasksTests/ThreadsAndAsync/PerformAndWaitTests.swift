import Foundation
import RunLoopTasks
import Testing

/// `RunLoopTaskQueue.performAndWait`, for which a thread waits.
@Suite(.onOwnLoop) struct PerformAndWaitTests {
  private struct Failure: Error, Equatable {}

  @Test func itReturnsTheValueOrThrowsTheErrorOfTheBody() throws {
    let loop = LoopThread(running: .default)
    #expect(try loop.queue.performAndWait { ThreadID.current } == loop.id)
    #expect(throws: Failure()) { try loop.queue.performAndWait(when: .idle) { throw Failure() } }
    loop.end()
  }

  @Test func onTheLoopsOwnThreadTheBodyRunsInPlace() throws {
    let queue = RunLoop.current.taskQueue
    let value = try queue.performAndWait(when: .idle, forModes: [.custom]) { (ThreadID.current, queue.count) }
    #expect(value == (.current, 0))
    #expect(throws: Failure()) { try queue.performAndWait { throw Failure() } }
    let nested = Box(0)
    queue.perform { nested.value = (try? queue.performAndWait { 7 }) ?? 0 }
    RunLoop.current.runPass()
    #expect(nested.value == 7)
  }

  @Test(arguments: RunLoopTask.Timing.allCases) func itHasItsOptions(timing: RunLoopTask.Timing) {
    let (queue, modes) = (RunLoop.current.taskQueue, Box<[RunLoop.Mode?]>([]))
    let waiters = [
      JoinableThread {
        modes.add([
          try? queue.performAndWait(when: timing, within: .seconds(9_000), forModes: [.custom]) {
            RunLoop.current.currentMode
          }
        ])
      },
      JoinableThread { modes.add([try? queue.performAndWait { RunLoop.current.currentMode }]) },
    ]
    waitUntil { queue.debugDescription.contains(" 2 pending") }
    #expect(queue.debugDescription.contains("\(timing) in \"RunLoopTasksTests.custom\", within 8999"))
    #expect(queue.debugDescription.contains("nextLoopBegan in common, scheduled at RunLoopTasksTests/PerformAndWait"))
    RunLoop.current.runPass()
    waiters[1].join()
    RunLoop.current.runPass(mode: .custom)
    waiters[0].join()
    #expect(modes.value == [.default, .custom])
  }

  enum Ending: CaseIterable { case cancelAll, end, stop, stopRunningDelayedTasks }

  /// The loop does not run in the mode.
  @Test(arguments: Ending.allCases) func eightThreadsGetACancellationErrorAtTheEnd(_ ending: Ending) {
    let (cancelled, runs) = (Counter(), Counter())
    let loop = LoopThread()
    let thread = RunLoopThread(name: "worker")
    let queue = [.cancelAll, .end].contains(ending) ? loop.queue : thread.taskQueue
    let waiters = (1...8).map { _ in
      JoinableThread {
        do {
          try queue.performAndWait(forModes: [.custom]) { _ = runs.count() }
        } catch is CancellationError {
          cancelled.count()
        } catch {}
      }
    }
    waitUntil { queue.count == 8 }
    switch ending {
    case .cancelAll:
      queue.cancelAll()
      loop.perform { RunLoop.current.runPass() }
    case .end: loop.end()
    case .stop: thread.stop()
    case .stopRunningDelayedTasks: thread.stop(runningDelayedTasks: true)
    }
    for waiter in waiters { waiter.join() }
    #expect(cancelled.value == 8 && runs.value == 0)
  }

  /// Each gets its value, or the error if the end was quicker.
  @Test func eightThreadsWaitWhileALoopEnds() {
    for round in 1...100 {
      let (thread, runs, values, errors) = (RunLoopThread(name: "worker"), Counter(), Counter(), Counter())
      let waiters = (1...8).map { number in
        JoinableThread {
          for step in 0..<10 {
            if step == (number + round) % 10 { thread.stop() }
            do {
              let value = try thread.taskQueue.performAndWait(when: RunLoopTask.Timing.allCases[step % 3]) {
                runs.count()
                return number * 10 + step
              }
              if value == number * 10 + step { values.count() }
            } catch { errors.count() }
          }
        }
      }
      for waiter in waiters { waiter.join() }
      #expect(values.value == runs.value && values.value + errors.value == 80)
    }
  }

  @Test func afterTheEndOfTheLoopItThrowsAtOnce() {
    let (queue, ran) = (endedQueue(), Counter())
    for _ in 1...8 {
      #expect(throws: CancellationError.self) { try queue.performAndWait { _ = ran.count() } }
    }
    #expect(ran.value == 0)
  }

  /// By the thread itself, which no longer has the loop.
  @Test func aThreadWhoseLoopHasEndedGetsACancellationError() async {
    let actor = ThreadActor()
    actor.thread.stop()
    await actor.thread.join()
    #expect(await actor.isRefusedByItsOwnLoop())
  }
}

extension ThreadActor {
  fileprivate func isRefusedByItsOwnLoop() -> Bool {
    calls += 1
    return (try? thread.taskQueue.performAndWait {}) == nil
  }
}
