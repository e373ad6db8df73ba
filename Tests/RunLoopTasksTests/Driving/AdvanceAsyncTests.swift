#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import Testing

  /// `RunLoop.advance` and the async code of a `RunLoopThread`.
  ///
  /// Other tests block the threads that Swift's async code shares, some for seconds. A call through `any Clock` and
  /// `Task.yield()` need these threads, so such tests run in processes of their own.
  @Suite struct AdvanceAsyncTests {
    // MARK: in processes of their own

    /// The state is read in the closure that advances time, so no later pass can help.
    @Test(arguments: [false, true]) func aDebounceOfAnActorEndsInTheAdvanceToItsEnd(isGeneric: Bool) async {
      await #expect(processExitsWith: .success) { [isGeneric] in
        endInTime()
        let thread = RunLoopThread(name: "worker")
        for _ in 1...20 {
          let editor = Editor(thread, isGeneric: isGeneric)
          await editor.change()
          _ = try await editor.savesAfterAdvance(by: .seconds(200_000))
          await editor.change()
          let saves = [
            try await editor.savesAfterAdvance(by: .seconds(299_000)),
            try await editor.savesAfterAdvance(by: .seconds(1_000)),
          ]
          try #require(saves == [0, 1])
          try #require(thread.taskQueue.count == 0)
        }
        thread.stop()
      }
    }

    /// The clock stands still in the passes, so each sleep begins exactly when the one before has ended.
    @Test(arguments: [false, true]) func successiveSleepsAreExact(isGeneric: Bool) async {
      await #expect(processExitsWith: .success) { [isGeneric] in
        endInTime()
        let thread = RunLoopThread(name: "worker")
        let editor = Editor(thread, isGeneric: isGeneric)
        let polling = Task { try await editor.poll(every: .seconds(1_001), times: 5) }
        await eventually { thread.taskQueue.count == 1 }
        for _ in 1...6 { _ = try await editor.savesAfterAdvance(by: .seconds(1_001)) }
        polling.cancel()  // it has ended, unless the test fails
        let times = try await polling.value
        try #require(zip(times, times.dropFirst()).allSatisfy { $0.duration(to: $1) == .seconds(1_001) })
        thread.stop()
      }
    }

    @Test func jobsThatFollowEachOtherRunBeforeTheFirstDate() async {
      await #expect(processExitsWith: .success) {
        endInTime()
        let thread = RunLoopThread(name: "worker")
        let editor = Editor(thread, isGeneric: false)
        let events = Log()
        try await thread.taskQueue.run {
          RunLoop.current.perform { events("date") }.after(.seconds(1_000))
          editor.assumeIsolated { $0.yield(4) { events("job") } }
          RunLoop.current.advance(by: .seconds(1_000))
          events("end")
        }
        try #require(events.events == ["job", "date", "end"])
        thread.stop()
      }
    }

    /// Eight threads at once, as Swift Testing runs tests side by side.
    @Test(arguments: [false, true]) func callsOnSeveralThreadsGiveWhatEachGivesAlone(isGeneric: Bool) async {
      await #expect(processExitsWith: .success) { [isGeneric] in
        endInTime()
        let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
          for _ in 1...8 {
            group.addTask {
              var wrong = 0
              for _ in 1...20 {
                let thread = RunLoopThread(name: "worker")
                let editor = Editor(thread, isGeneric: isGeneric)
                await editor.change()
                if try await editor.savesAfterAdvance(by: .seconds(300_001)) != 1 { wrong += 1 }
                thread.stop()
              }
              return wrong
            }
          }
          return try await group.reduce(0, +)
        }
        try #require(wrong == 0)
      }
    }

    /// Each yield goes over the shared threads.
    @Test func codeThatYieldsIsDoneWhenAnAdvanceReturns() async {
      await #expect(processExitsWith: .success) {
        endInTime()
        let thread = RunLoopThread(name: "worker")
        let editor = Editor(thread, isGeneric: false)
        var early = 0
        for _ in 1...200 {
          let isDone = Counter()
          early += try await thread.taskQueue.run {
            editor.assumeIsolated { $0.yield(4) { isDone.count() } }
            RunLoop.current.advance(by: .zero)
            return 1 - isDone.value
          }
        }
        try #require(early == 0)
        thread.stop()
      }
    }

    // MARK: in this process

    private let thread = RunLoopThread(name: "worker")

    @Test func aPassThatNothingHasCausedIsNotMade() async throws {
      let editor = Editor(thread, isGeneric: false)
      let counts = try await thread.taskQueue.run {
        var counts: [Int] = []
        func count(_ body: () -> Void) { counts.append(countPasses(body)) }
        count { RunLoop.current.advance(by: .seconds(1)) }
        RunLoop.current.perform {}.after(.seconds(1_000))
        count { RunLoop.current.advance(by: .seconds(2_000)) }
        editor.assumeIsolated { $0.change() }
        count { RunLoop.current.advance(by: .seconds(1)) }  // one for the job, which begins to sleep
        count { RunLoop.current.advance(by: .seconds(1)) }
        // One for the date, and one for the job if it is not performed in the same pass.
        count { RunLoop.current.advance(by: .seconds(400_000)) }
        return counts
      }
      #expect(counts.dropLast() == [1, 2, 2, 1])
      #expect((2...3).contains(counts[4]))
    }

    @Test func jobsThatNeverEndAreGivenUp() async throws {
      let editor = Editor(thread, isGeneric: false)
      let passes = try await thread.taskQueue.run {
        editor.assumeIsolated { $0.yield(.max) {} }
        return countPasses { RunLoop.current.advance(by: .zero) }
      }
      #expect((1...2_001).contains(passes))
      await editor.cancel()
    }

    @Test func jobsAreNotAwaitedInAModeInWhichTheyDoNotRun() async throws {
      let editor = Editor(thread, isGeneric: false)
      let passes = try await thread.taskQueue.run {
        editor.assumeIsolated { $0.change() }
        return countPasses(in: .custom) { RunLoop.current.advance(by: .seconds(1_000), mode: .custom) }
      }
      #expect(passes == 1)
    }
  }

  /// The number of passes that `body` makes.
  private func countPasses(in mode: RunLoop.Mode = .default, _ body: () -> Void) -> Int {
    let passes = Counter()
    let observer = RunLoop.current.observe(.entry, forModes: [mode]) { _ in passes.count() }
    body()
    observer.invalidate()
    return passes.value
  }

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
#endif
