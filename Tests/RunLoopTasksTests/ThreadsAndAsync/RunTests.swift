import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Testing

/// `RunLoopTaskQueue.run`, which async code awaits.
@Suite(.onOwnLoop) struct RunTests {
  private struct Failure: Error, Equatable {}

  private let loop = LoopThread()

  @Test func runOfAQueueReturnsTheValueOrThrowsTheErrorOfTheBody() async throws {
    let loop = LoopThread(running: .default)
    #expect(try await loop.queue.run { ThreadID.current } == loop.id)
    await #expect(throws: Failure()) { try await loop.queue.run(when: .idle) { throw Failure() } }
    loop.end()
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func theBodyRunsWithItsOptionsInItsModes(timing: RunLoopTask.Timing) async throws {
    async let plain = loop.queue.run { RunLoop.current.currentMode }
    // Not a child, which would come back over this test's own thread, and that waits for the loop below.
    let mode = Task { [loop] in
      try await loop.queue.run(
        when: timing, after: .seconds(1_000), within: .seconds(9_000), order: 7, forModes: [.other, .custom]
      ) { RunLoop.current.currentMode }
    }
    await eventually { loop.queue.count == 2 }
    loop.perform {
      // `count` already counts tasks that another thread is about to send.
      waitUntil { RunLoop.current.taskQueue.debugDescription.contains(" 2 pending") }
      let description = RunLoop.current.taskQueue.debugDescription
      #expect(description.contains("  nextLoopBegan in default, scheduled at"))
      #expect(description.contains("\(timing) in \"RunLoopTasksTests.other\", \"RunLoopTasksTests.custom\", in 9"))
      #expect(description.contains(", within 89") && description.contains(", order 7, scheduled at"))
      RunLoop.current.runPass()
    }
    #expect(try await plain == .default)
    loop.perform { RunLoop.current.advance(by: .seconds(1_000), mode: .custom) }
    #expect(try await mode.value == .custom)
  }

  enum Ending: CaseIterable { case cancellation, cancelAll, cancelAllThenCancellation, endOfTheLoop }

  /// The loop does not run, except to release the body after `cancelAll`.
  @Test(arguments: Ending.allCases, RunLoopTask.Timing.allCases)
  func theWaitForAPendingBodyEndsWithACancellationError(_ ending: Ending, timing: RunLoopTask.Timing) async {
    let (queue, runs) = (loop.queue, Counter())
    let task = Task { try await queue.run(when: timing) { _ = runs.count() } }
    await loop.waitForTask()
    switch ending {
    case .cancellation: task.cancel()
    case .cancelAll:
      queue.cancelAll()
      loop.perform { RunLoop.current.runPass() }
    case .cancelAllThenCancellation:
      queue.cancelAll()
      task.cancel()
    case .endOfTheLoop: loop.end()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(queue.count == 0)
    if ending != .endOfTheLoop { loop.perform { RunLoop.current.runUntilTasksFinish() } }
    #expect(runs.value == 0)
  }

  @Test func aCancelledTaskSchedulesNothing() async {
    let queue = loop.queue
    let task = Task {
      await eventually { Task.isCancelled }
      try await queue.run {}
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(queue.count == 0)
    // Not even a message that would keep the run alive for a pass.
    loop.perform { #expect(!RunLoop.current.run(mode: .default, before: .distantFuture)) }
  }

  @Test func cancellingTheTaskWaitsForABodyThatHasBegun() async throws {
    let loop = LoopThread(running: .default)
    let (hasBegun, mayEnd) = (Box(false), DispatchSemaphore(value: 0))
    let task = Task {
      try await loop.queue.run {
        hasBegun.value = true
        mayEnd.wait()
        return "done"
      }
    }
    await eventually { hasBegun.value }
    task.cancel()
    mayEnd.signal()
    #expect(try await task.value == "done")
    loop.end()
  }

  @Test func runOfAQueueThrowsOnALoopThatHasEnded() async {
    let queue = endedQueue()
    await #expect(throws: CancellationError.self) { try await queue.run { 1 } }
  }

  /// The checked continuation traps if a wait ends twice, and the test hangs if a wait never ends.
  @Test func eachWaitEndsOnce() async {
    let (waits, loops) = (200, 20)
    let (values, cancellations, runs) = (Counter(), Counter(), Counter())
    for number in 0..<loops {
      let loop = LoopThread(running: .default)
      await withTaskGroup(of: Void.self) { group in
        for wait in 0..<waits {
          group.addTask {
            do {
              try await loop.queue.run(when: RunLoopTask.Timing.allCases[wait % 3]) { _ = runs.count() }
              values.count()
            } catch {
              #expect(error is CancellationError)
              cancellations.count()
            }
          }
          if wait == waits / 4 + number { loop.queue.cancelAll() }
          if wait == waits / 2 + number { group.cancelAll() }
        }
        loop.end()
      }
    }
    #expect(values.value + cancellations.value == waits * loops)
    #expect(values.value == runs.value)
  }
}
