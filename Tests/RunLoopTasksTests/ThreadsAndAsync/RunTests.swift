import Foundation
import Testing

@testable import RunLoopTasks

/// `RunLoopTaskQueue.run`, which async code awaits.
@Suite struct RunTests {
  private struct Failure: Error, Equatable {}

  @Test func runOfAQueueReturnsTheValueOfTheBody() async throws {
    let loop = LoopThread(running: .default)
    let thread = try await loop.queue.run { ThreadID.current }
    #expect(thread == loop.id)
    loop.end()
  }

  @Test func runOfAQueueThrowsTheErrorOfTheBody() async {
    let loop = LoopThread(running: .default)
    await #expect(throws: Failure()) { try await loop.queue.run(when: .idle) { throw Failure() } }
    loop.end()
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func theBodyRunsAtItsTimingInItsModes(timing: RunLoopTask.Timing) async throws {
    let loop = LoopThread()
    async let mode = loop.queue.run(when: timing, forModes: [.other, .custom]) { RunLoop.current.currentMode }
    await eventually { loop.queue.count == 1 }
    let description = Box("")
    loop.perform {
      description.value = RunLoop.current.taskQueue.debugDescription
      RunLoop.current.runPass()
      RunLoop.current.runPass(mode: .custom)
    }
    #expect(description.value.contains("\(timing) in "))
    #expect(try await mode == .custom)
    loop.end()
  }

  @Test func defaultsAreTheNextPassAndTheDefaultMode() async throws {
    let loop = LoopThread()
    async let value = loop.queue.run { 1 }
    await eventually { loop.queue.count == 1 }
    let description = Box("")
    loop.perform {
      description.value = RunLoop.current.taskQueue.debugDescription
      RunLoop.current.runPass()
    }
    #expect(description.value.contains("nextLoopBegan in default"))
    #expect(try await value == 1)
    loop.end()
  }

  @Test func lowerOrdersComeFirst() async throws {
    let loop = LoopThread()
    let log = Log()
    let orders = [3, .max, 0, .min, -1]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for order in orders {
        group.addTask { try await loop.queue.run(when: .idle, order: order) { log("\(order)") } }
      }
      await eventually { loop.queue.count == orders.count }
      loop.perform { RunLoop.current.runPass() }
      try await group.waitForAll()
    }
    #expect(log.events == orders.sorted().map { "\($0)" })
    loop.end()
  }

  // MARK: cancellation

  /// The loop does not run meanwhile.
  @Test func cancellingTheTaskCancelsThePendingBodyAtOnce() async {
    let loop = LoopThread()
    let runs = Counter()
    let task = Task { try await loop.queue.run { _ = runs.count() } }
    await eventually { loop.queue.count == 1 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(loop.queue.count == 0)
    loop.perform { RunLoop.current.runUntilTasksFinish() }
    #expect(runs.value == 0)
    loop.end()
  }

  @Test func aCancelledTaskSchedulesNothing() async {
    let loop = LoopThread()
    let task = Task {
      await eventually { Task.isCancelled }
      try await loop.queue.run {}
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(loop.queue.count == 0)
    #expect(loop.queue.scheduler.attachment.withLock { $0.mailbox.isEmpty })
    loop.end()
  }

  /// The body is being scheduled, so there is no pending task yet.
  @Test func cancellingTheTaskWhileItSchedulesCancelsTheBody() async {
    let loop = LoopThread()
    let (isHeld, mayGoOn) = (Box(false), DispatchSemaphore(value: 0))
    Thread {  // The task may need the current thread.
      loop.queue.scheduler.attachment.withLock { _ in  // Scheduling needs this lock.
        isHeld.value = true
        mayGoOn.wait()
      }
    }.start()
    await eventually { isHeld.value }
    let isOver = Box(false)
    let task = Task.detached {
      defer { isOver.value = true }
      try await loop.queue.run {}
    }
    await eventually { loop.queue.count == 1 }
    task.cancel()
    mayGoOn.signal()
    await eventually { isOver.value }  // The loop does not run meanwhile.
    await #expect(throws: CancellationError.self) { try await task.value }
    loop.end()
  }

  @Test func cancellingTheTaskWaitsForABodyThatHasBegun() async throws {
    let loop = LoopThread(running: .default)
    let hasBegun = Box(false)
    let mayEnd = DispatchSemaphore(value: 0)
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

  @Test func cancelAllEndsTheWait() async {
    let loop = LoopThread(running: .default)
    let task = Task { try await loop.queue.run(forModes: [.other]) {} }
    await eventually { loop.queue.count == 1 }
    loop.queue.cancelAll()
    await #expect(throws: CancellationError.self) { try await task.value }
    loop.end()
  }

  /// The loop does not run, so it does not release the closure.
  @Test func cancellingTheTaskAfterCancelAllEndsTheWait() async {
    let loop = LoopThread()
    let task = Task { try await loop.queue.run {} }
    await eventually { loop.queue.count == 1 }
    loop.queue.cancelAll()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    loop.end()
  }

  @Test func theEndOfTheLoopEndsTheWait() async {
    let loop = LoopThread()
    let runs = Counter()
    let tasks = RunLoopTask.Timing.allCases.map { timing in
      Task { try await loop.queue.run(when: timing) { _ = runs.count() } }
    }
    await eventually { loop.queue.count == 3 }
    loop.end()
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(runs.value == 0)
  }

  @Test func runOfAQueueThrowsOnALoopThatHasEnded() async {
    let queue = endedQueue()
    await #expect(throws: CancellationError.self) { try await queue.run { 1 } }
  }

  /// The checked continuation stops the program if a wait ends twice, and the test hangs if a wait never ends.
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
