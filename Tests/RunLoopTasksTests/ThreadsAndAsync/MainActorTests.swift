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
    @MainActor private final class Label {
      var text = ""
      private(set) var reloads = 0

      func setNeedsReload() {
        RunLoop.current.perform { self.reloads += 1 }.when(.currentLoopEnded).coalesced(by: ObjectIdentifier(self))
      }
    }

    // MARK: a test that drives the loop

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

    @Test func otherThreadsReloadOnce() {
      let label = Label()
      elsewhere {
        for _ in 1...10 {
          MainActor.perform(when: .currentLoopEnded, coalescedBy: "reload") { label.setNeedsReload() }
        }
      }
      #expect(
        RunLoopTaskQueue.main.debugDescription.contains("currentLoopEnded in common, coalesced by \"reload\""))
      #expect(RunLoop.main.runUntilTasksFinish(timeout: .seconds(60)))
      #expect(label.reloads == 1)
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

    // MARK: the loop that runs by itself

    @Test(arguments: RunLoopTask.Timing.allCases)
    func theMainLoopRunsTasksByItself(timing: RunLoopTask.Timing) async throws {
      let value = try await RunLoopTaskQueue.main.run(when: timing, forModes: [.common]) {
        MainActor.assumeIsolated { 42 }
      }
      #expect(value == 42)
    }

    @Test func theMainLoopRunsDelayedTasks() async throws {
      #expect(try await MainActor.run(when: .idle, after: .milliseconds(5)) { Thread.isMainThread })
    }

    @Test func theCallerGetsTheErrorOfATask() async {
      struct Failure: Error {}
      await #expect(throws: Failure.self) { try await MainActor.run(when: .currentLoopEnded) { throw Failure() } }
    }

    @Test func aWaitThatIsCancelledThrows() async {
      let wait = Task {
        try await RunLoopTaskQueue.main.run(forModes: [RunLoop.Mode("never run")]) {}
      }
      // This task runs when the task above waits. Both run on the main thread.
      await Task { #expect(RunLoopTaskQueue.main.debugDescription.contains("never run")) }.value
      wait.cancel()
      await #expect(throws: CancellationError.self) { try await wait.value }
    }

    @Test func aTimerFires() async {
      await withCheckedContinuation { continuation in
        let timer = Timer(fire: .now, interval: 0, repeats: false) { _ in continuation.resume() }
        RunLoop.main.add(timer, forMode: .common)
      }
    }
  }
}
