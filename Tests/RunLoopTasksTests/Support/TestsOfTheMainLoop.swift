import RunLoopTesting
import Testing

/// The tests of the main loop that run it from the main actor. They share that loop, and a test that runs it also runs
/// the tasks and moves the clock of the others. So they run one after the other, and those of nested suites, too, and
/// none beside a body of `withMainRunLoop` in another suite.
@Suite(.serialized, .mainLoopTurn) enum TestsOfTheMainLoop {}

private struct MainLoopTurnTrait: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Turns.main.take()
    defer { Turns.main.giveBack() }
    try await function()
  }
}

extension Trait where Self == MainLoopTurnTrait {
  fileprivate static var mainLoopTurn: Self { MainLoopTurnTrait() }
}
