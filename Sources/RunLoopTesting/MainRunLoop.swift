#if canImport(Testing)
  import Foundation
  import RunLoopMain
  import RunLoopTasks
  import Testing

  /// Calls a closure on the main actor, in a task of the main run loop, and waits for its value.
  ///
  /// ```swift
  /// @Test func savesAfterTwoSeconds() async throws {
  ///   try await withMainRunLoop(clock: .stopped) { loop in
  ///     var isSaved = false
  ///     MainActor.perform(after: .seconds(2)) { isSaved = true }
  ///     loop.advance(by: .seconds(2))
  ///     #expect(isSaved)
  ///   }
  /// }
  /// ```
  ///
  /// `advance(by:)`, `runPass()`, `runUntil` and Foundation's `run(until:)` serve the main queue in it, as in an app's
  /// event handler, so tasks of the main actor go on. In a plain `@MainActor` test they don't. `Task.immediate` and an
  /// `isolated deinit` run at once in it, as in such a handler.
  ///
  /// One such closure runs at a time in the process, whichever suites the tests are in, because all share the main loop
  /// and its clock. The closure belongs to the calling test: expectations, known issues and task-local values work as
  /// usual.
  ///
  /// The test fails if tasks are still pending at the end of the closure that were scheduled on the main thread since
  /// its beginning: each is cancelled, and is an issue with its file and line. What other threads have sent, and what
  /// async code awaits, is left alone. In a test that is cancelled, they are no issues.
  ///
  /// If the closure exceeds the time limit, that is an issue that says what the loop waits for, which task runs and
  /// what is pending. Then the process stops with the same message. If the main loop doesn't begin the closure within
  /// that time, the test only fails.
  ///
  /// - Important: Don't call it inside itself, not even from a `Task` that the closure starts. That is an issue, and
  ///   throws. A closure that waits for such a call elsewhere, as in a detached task, exceeds its limit. A limit of
  ///   zero or less traps.
  /// - Parameters:
  ///   - clock: how the task clock of the main loop goes meanwhile.
  ///   - timeLimit: the time that the closure may take.
  ///   - mayLeaveTasks: whether tasks that the closure leaves pending are cancelled without an issue.
  ///   - sourceLocation: the place of the issues. Use the default.
  ///   - body: the work. It gets the main run loop.
  /// - Returns: the closure's value.
  /// - Throws: the closure's error, `CancellationError` if the test is cancelled before its turn, or an error that
  ///   Swift Testing has already recorded as an issue.
  public func withMainRunLoop<Value: Sendable>(
    clock: RunLoopTestClock = .running, timeLimit: Duration = .seconds(60), mayLeaveTasks: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @MainActor (RunLoop) throws -> Value
  ) async throws -> Value {
    if timeLimit <= .zero {
      fatalError("withMainRunLoop at \(place(sourceLocation)) needs a time limit of more than zero, not \(timeLimit)")
    }
    let isOutsideItself = MainLoopTurn.current?.isUnderWay != true
    try #require(
      isOutsideItself,
      "withMainRunLoop was called inside itself, where it would wait for itself: call the inner body directly",
      sourceLocation: sourceLocation)
    letAdvancesBelongToTests()
    TestScope.ofOwnLoop?.suspendLimit(true)  // others use the main loop meanwhile
    // Not on the thread of a test with its own loop, which may be busy when the body has ended:
    //
    //     the test's thread    a child waits for the body ─ the test hangs
    //     the main loop        the body ─── end: the next one has its turn, and the limit of the test goes on
    //
    let options = TestScope.Options(clock: clock, timeLimit: timeLimit, mayLeaveTasks: mayLeaveTasks)
    return try await withTaskExecutorPreference(globalConcurrentExecutor) {
      defer { TestScope.ofOwnLoop?.suspendLimit(false) }
      try await Turns.main.take()
      let turn = MainLoopTurn(options, at: sourceLocation)
      defer {
        turn.end()
        Turns.main.giveBack()
      }
      return try await MainLoopTurn.$current.withValue(turn) {
        try await withTaskExecutorPreference(turn) { try await turn.call(body) }
      }
    }
  }

  // Without it, the compiler would only say that it cannot convert the closure.
  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  @available(
    *, unavailable,
    message: "The closure can't await: start a `Task` in it, and let it go on with `advance(by:)` or `runUntil`"
  )
  @_disfavoredOverload
  public func withMainRunLoop<Value: Sendable>(
    clock: RunLoopTestClock = .running, timeLimit: Duration = .seconds(60), mayLeaveTasks: Bool = false,
    _ body: @escaping @MainActor (RunLoop) async throws -> Value
  ) async throws -> Value { fatalError() }
#endif
