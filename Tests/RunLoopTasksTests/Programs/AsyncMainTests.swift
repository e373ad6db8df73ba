#if !canImport(Darwin)
  import Foundation
  import RunLoopTasks
  import Testing

  /// The main loop of a program whose `main` is `async`, as in these tests. On Linux such a program never runs that
  /// loop.
  @Suite struct AsyncMainTests {
    @Test(arguments: RunLoopTask.Timing.allCases) func tasksOnTheMainLoopAreCancelled(timing: RunLoopTask.Timing) async
    {
      let released = Counter()
      let tasks = {
        let token = Token { released.count() }
        return [
          MainActor.perform(when: timing) { token.use() },
          MainActor.perform(when: timing, after: .seconds(3_000), coalescedBy: timing) { token.use() },
          RunLoopTaskQueue.main.perform(when: timing) { token.use() },
          RunLoop.main.taskQueue.perform(when: timing, forModes: [.common]) { token.use() },
        ]
      }()
      await eventually { tasks.allSatisfy { $0.state == .cancelled } && released.value == 1 }
      await eventually { RunLoopTaskQueue.main.count == 0 }
    }

    @Test func awaitedTasksOfTheMainLoopThrow() async {
      await #expect(throws: CancellationError.self) { try await RunLoopTaskQueue.main.run { 1 } }
      await #expect(throws: CancellationError.self) { try await MainActor.run(when: .idle) { 1 } }
      await #expect(throws: CancellationError.self) {
        try await MainActor.run(when: .idle, after: .seconds(3_000)) { 1 }
      }
    }

    @Test func onTheMainActorTasksAreCancelledToo() async {
      let task = await MainActor.run { MainActor.perform {} }
      await eventually { task.state == .cancelled }
      let wait = Task { @MainActor in try await MainActor.run(when: .currentLoopEnded) { 1 } }
      await #expect(throws: CancellationError.self) { try await wait.value }
    }

    // MARK: the message on standard error

    /// The first use of the package in its process is one that throws.
    @Test func theFirstRefusedRunSaysWhyOnce() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        endInTime()
        for _ in 1...2 {
          await #expect(throws: CancellationError.self) { try await RunLoopTaskQueue.main.run {} }
          await #expect(throws: CancellationError.self) { try await MainActor.run(when: .idle) {} }
        }
        await MainActor.run {}
      }
      let lines = lines(of: result)
      #expect(lines.count == 1)
      for part in [
        "Dispatch has taken over the main thread", "async", "use a main that is not async, or a RunLoopThread",
      ] {
        #expect(lines.first?.contains(part) == true, "\(lines)")
      }
    }

    /// The loops of other threads end with them.
    @Test func aProgramThatDropsNothingOfTheMainLoopSaysNothing() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        endInTime()
        try #require(RunLoopTaskQueue.main.count == 0)
        RunLoopTaskQueue.main.cancelAll()
        let thread = RunLoopThread(name: "worker")
        let pending = thread.taskQueue.perform(after: .seconds(3_000)) {}
        thread.stop()
        await thread.ended()
        try #require(pending.state == .cancelled && thread.taskQueue.perform {}.state == .cancelled)
        await #expect(throws: CancellationError.self) { try await thread.taskQueue.run {} }
        for _ in 1...3 { await MainActor.run {} }
      }
      #expect(lines(of: result).isEmpty)
    }

    private func lines(of result: ExitTest.Result?) -> [Substring] {
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        .filter { $0.contains("RunLoopTasks") }
    }
  }
#endif
