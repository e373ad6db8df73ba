import Foundation
import RunLoopMain
import RunLoopTasks
import Testing

extension TestsOfTheMainLoop {
  /// The main loop in a test on the main actor, as in the documentation.
  ///
  /// The runner's `main` is `async`. On Apple's platforms it runs the main loop, and on Linux `RunLoopMain` does. A
  /// block of the main queue runs each test.
  @Suite @MainActor struct MainActorTests {
    @Test func whatOtherThreadsSendRunsOnTheMainActor() {
      let (log, queue) = (Log(), RunLoopTaskQueue.main)
      elsewhere {
        queue.perform { MainActor.assumeIsolated { log("began") } }
        RunLoop.main.taskQueue.perform(when: .currentLoopEnded, forModes: [.common]) {
          MainActor.assumeIsolated { log("ended") }
        }
      }
      RunLoop.main.runPass()
      #expect(log.events == ["ended", "began"])
    }

    /// A run that a block of the main queue begins does not serve the main queue.
    @Test func aPassServesNothingElseOfTheMainActor() async {
      let log = Log()
      DispatchQueue.main.async { log("block") }
      let task = Task { @MainActor in log("job") }
      passOnTheMainLoop()
      #expect(log.events == [])
      await task.value
      #expect(log.events == ["block", "job"])
    }

    private func passOnTheMainLoop() { RunLoop.main.runPass() }  // `runPass` is not available in an async function.

    @Test(arguments: RunLoopTask.Timing.allCases)
    func theMainLoopRunsTasksByItself(timing: RunLoopTask.Timing) async throws {
      let value = try await RunLoopTaskQueue.main.run(when: timing, forModes: [.common]) {
        MainActor.assumeIsolated { 42 }
      }
      #expect(value == 42)
    }
  }
}
