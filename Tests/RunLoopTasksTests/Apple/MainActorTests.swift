#if canImport(Darwin)
  import Foundation
  import RunLoopTasks
  import Testing

  /// The main loop in a test on the main actor, as in the documentation.
  ///
  /// The runner's `main` is `async`. On Apple's platforms it runs the main loop, and a block of the main queue runs the
  /// test.
  @Suite @MainActor struct MainActorTests {
    private final class Label {
      var text = ""
    }

    @Test func aTestDrivesTheMainLoop() {
      let label = Label()
      MainActor.perform(when: .currentLoopEnded) { label.text = "title" }
      #expect(RunLoop.main.runUntilTasksFinish(timeout: .seconds(60)))
      #expect(label.text == "title")
    }

    @Test(arguments: RunLoopTask.Timing.allCases)
    func aPassRunsATaskOfTheMainLoop(timing: RunLoopTask.Timing) {
      let label = Label()
      RunLoop.current.perform { label.text = "title" }.when(timing)
      #expect(RunLoop.main.runPass())
      #expect(label.text == "title")
    }

    @Test(arguments: RunLoopTask.Timing.allCases)
    func theMainLoopRunsTasksByItself(timing: RunLoopTask.Timing) async throws {
      let value = try await RunLoopTaskQueue.main.run(when: timing, forModes: [.common]) {
        MainActor.assumeIsolated { 42 }
      }
      #expect(value == 42)
    }

    /// A run that a block of the main queue begins does not serve the main queue.
    @Test func aPassServesNothingElseOfTheMainActor() async {
      let (label, other) = (Label(), Label())
      DispatchQueue.main.async { MainActor.assumeIsolated { label.text = "of the main queue" } }
      let task = Task { @MainActor in other.text = "of a task" }
      passOnTheMainLoop()
      #expect((label.text, other.text) == ("", ""))
      await task.value
      #expect(other.text == "of a task")
    }

    private func passOnTheMainLoop() { RunLoop.main.runPass() }  // `runPass` is not available in an async function.
  }
#endif
