import Foundation
import RunLoopMain
import RunLoopTasks
import Testing

/// The tests of the main loop. They share that loop, and a test that runs it also runs the tasks and moves the clock of
/// the others. So they run one after the other, and those of nested suites, too.
@Suite(.serialized) enum TestsOfTheMainLoop {}

extension TestsOfTheMainLoop {
  /// How to test code of the main actor, with Swift Testing.
  ///
  /// On Linux a target of such tests imports `RunLoopMain`. The main loop then runs below the tests, as it does on
  /// Apple's platforms.
  @Suite @MainActor struct Examples {
    /// The loop also runs on its own while a test waits.
    @Test func aTestAwaitsTheMainLoop() async throws {
      let view = RowsView()
      view.rows = ["one"]
      try await MainActor.run(when: .idle) {}
      #expect(view.reloads == 1)
    }

    /// The test itself is a block of the main queue, like each part of it between two `await`s. Blocks of the main
    /// queue do not run inside such a block, and jobs of the main actor are such blocks, too. A pass that the test
    /// makes therefore serves tasks, timers and sources, but no async code. A pass that a task of the loop makes serves
    /// everything.
    @Test func aDraftIsSavedOnceTheUserHasPaused() async throws {
      let draft = Draft(delay: .seconds(1_000))
      draft.text = "Dear"
      try await MainActor.run(when: .idle) {
        RunLoop.main.advance(by: .seconds(500))
        #expect(draft.saved == "")
        RunLoop.main.advance(by: .seconds(500))
        #expect(draft.saved == "Dear")
      }
    }
  }
}
