import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Testing

/// `RunLoop.advance` and the async code of a `RunLoopThread`.
struct AdvanceAsyncTests {
  private let thread = RunLoopThread(name: "worker")

  @Test func jobsAreNotAwaitedInAModeInWhichTheyDoNotRun() async throws {
    let editor = Editor(thread, isGeneric: false)
    let passes = try await thread.taskQueue.run {
      editor.assumeIsolated { $0.change() }
      return countRuns(in: .custom) { RunLoop.current.advance(by: .seconds(1_000), mode: .custom) }
    }
    #expect(passes == 2)
  }
}

#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  /// `RunLoop.advance` and code that goes over the threads that Swift's async code shares, as `Task.yield()` and a call
  /// through `any Clock` do.
  ///
  /// In processes of their own, because other tests may block all of these threads. An exit test blocks one, too,
  /// unless it has a thread of its own.
  @Suite(.onOwnLoop, .serialized) struct AdvanceSharedThreadsTests {
    /// The state is read in the closure that advances time, so no later pass can help.
    @Test(arguments: [false, true]) func aDebounceOfAnActorEndsInTheAdvanceToItsEnd(isGeneric: Bool) async {
      await #expect(processExitsWith: .success) { [isGeneric] in
        try await expect([0, 1, 0], rounds: 20) { thread in
          let editor = Editor(thread, isGeneric: isGeneric)
          await editor.change()
          _ = try await editor.savesAfterAdvance(by: .seconds(200_000))
          await editor.change()
          let saves = [
            try await editor.savesAfterAdvance(by: .seconds(299_000)),
            try await editor.savesAfterAdvance(by: .seconds(1_000)),
          ]
          return saves + [thread.taskQueue.count]
        }
      }
    }

    /// The clock stands still in the passes, so each sleep begins exactly when the one before has ended.
    @Test(arguments: [false, true]) func successiveSleepsAreExact(isGeneric: Bool) async {
      await #expect(processExitsWith: .success) { [isGeneric] in
        try await expect(Array(repeating: Duration.seconds(1_001), count: 4), rounds: 1) { thread in
          let editor = Editor(thread, isGeneric: isGeneric)
          let polling = Task { try await editor.poll(every: .seconds(1_001), times: 5) }
          await eventually { thread.taskQueue.count == 1 }
          for _ in 1...6 { _ = try await editor.savesAfterAdvance(by: .seconds(1_001)) }
          polling.cancel()  // it has ended, unless the attempt fails
          guard let times = try? await polling.value else { return [] }
          return zip(times, times.dropFirst()).map { $0.duration(to: $1) }
        }
      }
    }

    @Test func jobsThatNeverEndAreGivenUp() async throws {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        try await expect(true, rounds: 1) { thread in
          let editor = Editor(thread, isGeneric: false)
          let passes = try await thread.taskQueue.run {
            editor.assumeIsolated { $0.yield(.max) {} }
            return countRuns { RunLoop.current.advance(by: .zero) }
          }
          await editor.cancel()
          return (2_500...5_001).contains(passes)
        }
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("async code that still goes on after 2500 passes at one date: if it polls"))
    }

    /// As for a stream with many elements.
    @Test func thousandsOfJobsAreAwaited() async {
      await #expect(processExitsWith: .success) {
        try await expect(1, rounds: 1) { thread in
          let (editor, isDone) = (Editor(thread, isGeneric: false), Counter())
          return try await thread.taskQueue.run {
            editor.assumeIsolated { $0.yield(2_000) { isDone.count() } }
            RunLoop.current.advance(by: .zero)
            return isDone.value
          }
        }
      }
    }

    @Test func jobsThatFollowEachOtherRunBeforeTheFirstDate() async {
      await #expect(processExitsWith: .success) {
        try await expect(["job", "date", "end"], rounds: 20) { thread in
          let (editor, events) = (Editor(thread, isGeneric: false), Log())
          try await thread.taskQueue.run {
            RunLoop.current.perform { events("date") }.after(.seconds(1_000))
            editor.assumeIsolated { $0.yield(4) { events("job") } }
            RunLoop.current.advance(by: .seconds(1_000))
            events("end")
          }
          return events.events
        }
      }
    }

    /// Eight threads at once, as Swift Testing runs tests side by side.
    @Test(arguments: [false, true]) func callsOnSeveralThreadsGiveWhatEachGivesAlone(isGeneric: Bool) async {
      await #expect(processExitsWith: .success) { [isGeneric] in
        try await withThrowingTaskGroup { group in
          for _ in 1...8 {
            group.addTask {
              try await expect(1, rounds: 20) { thread in
                let editor = Editor(thread, isGeneric: isGeneric)
                await editor.change()
                return try await editor.savesAfterAdvance(by: .seconds(300_001))
              }
            }
          }
          try await group.waitForAll()
        }
      }
    }

    /// Each yield goes over the shared threads.
    @Test func codeThatYieldsIsDoneWhenAnAdvanceReturns() async {
      await #expect(processExitsWith: .success) {
        try await expect(1, rounds: 50) { thread in
          let (editor, isDone) = (Editor(thread, isGeneric: false), Counter())
          return try await thread.taskQueue.run {
            editor.assumeIsolated { $0.yield(4) { isDone.count() } }
            RunLoop.current.advance(by: .zero)
            return isDone.value
          }
        }
      }
    }

    @Test func codeThatWaitsForATaskInLineGoesOnBeforeTheTimeMoves() async {
      await #expect(processExitsWith: .success) {
        try await expect(3, rounds: 20) { thread in
          let (queue, pauses) = (thread.taskQueue, Counter())
          return try await queue.run {
            Task.detached {
              try await queue.run {}
              for _ in 1...3 {
                try await queue.clock.sleep(for: .seconds(1_000))
                pauses.count()
              }
            }
            waitUntil { queue.count == 1 }
            RunLoop.current.advance(by: .seconds(3_000))
            return pauses.value
          }
        }
      }
    }

    /// What is in line runs before the time moves.
    /// Nobody waits for the loop, and nobody has asked for its clock.
    @Test func codeThatOnlyPostsIsAwaited() async {
      await #expect(processExitsWith: .success) {
        try await expect(20, rounds: 5) { thread in
          let (queue, steps) = (thread.taskQueue, Counter())
          @Sendable func next() {
            queue.perform(after: .seconds(1_000)) {
              steps.count()
              Task.detached { next() }
            }
          }
          return try await queue.run {
            Task.detached { next() }
            RunLoop.current.advance(by: .seconds(20_000))
            queue.cancelAll()
            return steps.value
          }
        }
      }
    }

    @Test func codeThatSleepsOnDoesNotChangeWhenOtherTasksRun() async {
      await #expect(processExitsWith: .success) {
        try await expect([true], rounds: 20) { thread in
          let (queue, isInTime) = (thread.taskQueue, Box<[Bool]>([]))
          return try await queue.run {
            let start = taskTime()
            let sleep = Task { try await queue.clock.sleep(for: .seconds(9_000)) }
            waitUntil { queue.count == 1 }
            RunLoop.current.perform { isInTime.add([taskTime() - start < .seconds(5_000)]) }.when(.idle)
            RunLoop.current.advance(by: .seconds(5_000))
            sleep.cancel()
            return isInTime.value
          }
        }
      }
    }

    /// The code sleeps on the shared threads. In the advance its sleep begins, ends, and it posts.
    @Test func aTaskThatCodeOfSharedThreadsPostsAfterItsSleepHasRun() async {
      await #expect(processExitsWith: .success) {
        try await expect(1, rounds: 20) { thread in
          let queue = thread.taskQueue
          return try await queue.run {
            let saves = Counter()
            Task.detached {
              try await queue.clock.sleep(for: .seconds(1_000))
              queue.perform { saves.count() }
            }
            RunLoop.current.advance(by: .seconds(1_000))
            return saves.value
          }
        }
      }
    }
  }

  /// Expects a value of `body`, called with a new thread in each round.
  private func expect<Value: Sendable & Equatable>(
    _ expected: Value, rounds: Int, _ body: (RunLoopThread) async throws -> Value
  ) async throws {
    endInTime()
    for _ in 1...rounds { try #require(try await body(RunLoopThread(name: "worker")) == expected) }
  }
#endif

/// An actor of a thread, whose code sleeps on the clock of the thread's loop.
private actor Editor {
  private let thread: RunLoopThread
  private let isGeneric: Bool
  private var task: Task<Void, Never>?
  private(set) var saves = 0

  init(_ thread: RunLoopThread, isGeneric: Bool) { (self.thread, self.isGeneric) = (thread, isGeneric) }

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  func change() {
    task?.cancel()
    task = Task {
      do { try await sleep(for: .seconds(300_000)) } catch { return }
      saves += 1
    }
  }

  func poll(every interval: Duration, times: Int) async throws -> [RunLoopClock.Instant] {
    var instants: [RunLoopClock.Instant] = []
    for _ in 0..<times {
      try await sleep(for: interval)
      instants.append(thread.taskQueue.clock.now)
    }
    return instants
  }

  func yield(_ times: Int, _ body: @escaping @Sendable () -> Void) {
    task = Task {
      var left = times
      while left > 0, !Task.isCancelled {
        left -= 1
        saves += 0  // a use of the actor, so that each round is a job of its own
        await Task.yield()
      }
      body()
    }
  }

  func cancel() { task?.cancel() }

  /// The number of saves at the return of `advance`.
  nonisolated func savesAfterAdvance(by duration: Duration) async throws -> Int {
    try await thread.taskQueue.run {
      RunLoop.current.advance(by: duration)
      return self.assumeIsolated { $0.saves }
    }
  }

  /// As code that takes `any Clock<Duration>` or knows the clock's type.
  private func sleep(for duration: Duration) async throws {
    let clock = thread.taskQueue.clock
    if isGeneric {
      try await (clock as any Clock<Duration>).sleep(for: duration)
    } else {
      try await clock.sleep(for: duration)
    }
  }
}
