#if canImport(Testing)
  import Foundation
  import RunLoopMain
  import RunLoopTasks
  import Testing

  /// Calls a closure on the main actor, in a task of the main run loop, and waits for its value.
  ///
  /// ```swift
  /// @Test func savesAfterTwoSeconds() async throws {
  ///   try await withMainRunLoop { loop in
  ///     var isSaved = false
  ///     MainActor.perform(after: .seconds(2)) { isSaved = true }
  ///     loop.advance(by: .seconds(2))
  ///     #expect(isSaved)
  ///   }
  /// }
  /// ```
  ///
  /// `advance(by:)`, `runPass()`, `runUntil` and Foundation's `run(until:)` serve the main queue in it, as in an app's
  /// event handler, so tasks of the main actor go on. In a plain `@MainActor` test they don't.
  ///
  /// One such closure runs at a time in the process, whichever suites the tests are in, because all share the main loop
  /// and its clock. The closure belongs to the calling test: expectations, known issues and task-local values work as
  /// usual.
  ///
  /// The test fails if tasks are still pending at the end of the closure that were scheduled on the main thread since
  /// its beginning: each is cancelled, and is an issue with its file and line. What other threads have sent, and what
  /// async code awaits, is left alone.
  ///
  /// If the closure exceeds the time limit, the process stops with a message that says what the loop waits for. If the
  /// main loop doesn't begin the closure within that time, the test fails with an issue.
  ///
  /// - Important: Don't call it inside itself, not even from a `Task` that the closure starts. That is an issue, and
  ///   throws. A closure that waits for such a call elsewhere, as in a detached task, exceeds its limit. A limit of
  ///   zero or less traps.
  /// - Parameters:
  ///   - timeLimit: the time that the closure may take.
  ///   - sourceLocation: the place of the issues. Use the default.
  ///   - body: the work. It gets the main run loop.
  /// - Returns: the closure's value.
  /// - Throws: the closure's error, `CancellationError` if the test is cancelled before its turn or is over, or an
  ///   error that Swift Testing has already recorded as an issue.
  public func withMainRunLoop<Value: Sendable>(
    timeLimit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @MainActor (RunLoop) throws -> Value
  ) async throws -> Value {
    if timeLimit <= .zero {
      fatalError("withMainRunLoop at \(place(sourceLocation)) needs a time limit of more than zero, not \(timeLimit)")
    }
    let isOutsideItself = MainLoopTurn.current?.isUnderWay != true
    try #require(
      isOutsideItself, "withMainRunLoop was called inside itself, where it would wait for itself",
      sourceLocation: sourceLocation)
    recordAdvancesThatGiveUp()
    if OwnRunLoop.thread?.isOver == true { throw CancellationError() }
    OwnRunLoop.thread?.suspendLimit(true)  // others use the main loop meanwhile
    // Not on the thread of a test with its own loop, which may hang meanwhile and would keep the turn:
    //
    //     the test's thread    a child waits for the turn ─ the test hangs
    //     another test         has the turn ───────────────────────────────── gives it to the child: lost
    //
    return try await withTaskExecutorPreference(globalConcurrentExecutor) {
      defer { OwnRunLoop.thread?.suspendLimit(false) }
      try await Turns.main.take()
      let turn = MainLoopTurn(timeLimit: timeLimit, sourceLocation)
      defer {
        turn.end()
        Turns.main.giveBack()
      }
      return try await MainLoopTurn.$current.withValue(turn) {
        try await withTaskExecutorPreference(turn) { try await turn.call(body) }
      }
    }
  }
#endif
