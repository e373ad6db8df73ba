#if !canImport(Darwin)
  import Foundation
  import RunLoopTasks
  import Testing

  /// Contract, section 7: on Linux a program whose `main` is `async`, as that of these tests, never runs its main loop.
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

    @Test func whoeverWaitsThereIsTold() async {
      await #expect(throws: CancellationError.self) { try await RunLoopTaskQueue.main.run { 1 } }
      await #expect(throws: CancellationError.self) { try await MainActor.run(when: .idle) { 1 } }
      await #expect(throws: CancellationError.self) {
        try await MainActor.run(when: .idle, after: .seconds(3_000)) { 1 }
      }
    }

    @Test func onTheMainActorItIsTheSame() async {
      let task = await MainActor.run { MainActor.perform {} }
      await eventually { task.state == .cancelled }
      let wait = Task { @MainActor in try await MainActor.run(when: .currentLoopEnded) { 1 } }
      await #expect(throws: CancellationError.self) { try await wait.value }
    }

    /// In a process of its own, in which the package is used for the first time there.
    @Test func theFirstUseIsToldToo() async {
      await #expect(processExitsWith: .success) {
        endInTime()
        do {
          try await MainActor.run(when: .nextLoopBegan) {}
          exit(1)
        } catch is CancellationError {}
        let task = await MainActor.run { MainActor.perform {} }
        await eventually { task.state == .cancelled }
      }
    }

    // MARK: where the program stops

    @Test func performingFromTheMainActor() async {
      let chained = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        await MainActor.run { _ = RunLoop.main.perform {}.when(.currentLoopEnded) }
      }
      expect(chained, names: "RunLoop.perform(_:)")
      let inOneCall = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        await MainActor.run { _ = RunLoop.main.perform(when: .currentLoopEnded) {} }
      }
      expect(inOneCall, names: "RunLoop.perform(when:)")
    }

    @Test func drivingFromTheMainActor() async {
      let pass = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        await MainActor.run { _ = RunLoop.main.runPass() }
      }
      expect(pass, names: "RunLoop.runPass(mode:)")
      let advance = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        await MainActor.run { _ = RunLoop.main.advance(by: .seconds(1)) }
      }
      expect(advance, names: "RunLoop.advance(by:mode:)")
      let until = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        await MainActor.run { _ = RunLoop.main.runUntil { false } }
      }
      expect(until, names: "RunLoop.runUntil(mode:timeout:_:)")
      let finish = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        await MainActor.run { _ = RunLoop.main.runUntilTasksFinish() }
      }
      expect(finish, names: "RunLoop.runUntilTasksFinish(mode:timeout:)")
    }

    private func expect(_ result: ExitTest.Result?, names function: String) {
      let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(output.contains("Fatal error: \(function) was called on the main actor"), "\(output)")
      #expect(output.contains("an async main gives its thread to Dispatch"), "\(output)")
      #expect(output.contains("use a main that is not async, or a RunLoopThread"), "\(output)")
    }
  }
#endif
