#if canImport(Testing)
  import RunLoopTasks
  import Testing

  /// A trait that runs each test on a new thread, with a run loop that only the test runs.
  ///
  /// ```swift
  /// @Suite(.ownRunLoop(clock: .stopped)) struct SearchTests {
  ///   @Test func searchesOnceTheUserHasPaused() {
  ///     var searches = 0
  ///     RunLoop.current.perform { searches += 1 }
  ///       .after(.milliseconds(300))
  ///     RunLoop.current.advance(by: .milliseconds(300))
  ///     #expect(searches == 1)
  ///   }
  /// }
  /// ```
  ///
  /// Each test, and each case of its arguments, has a thread of its own. `RunLoop.current` is that thread's loop from
  /// the first line to the last, also after an `await`, except in code of an actor. The tests run side by side, as many
  /// as there are processors and two more, and their loops and clocks are independent. No test holds a thread of
  /// Swift's pool.
  ///
  /// A test fails if tasks are still pending at its end that were scheduled on its thread: each is cancelled, and is an
  /// issue with its file and line, recorded after its body. What other threads have sent, and what
  /// async code awaits, doesn't count. In a test that is cancelled, they are no issues.
  ///
  /// If a test exceeds the time limit, that is an issue that says what its loop waits for, which task runs and what is
  /// pending. Then the process stops with the same message, because code that hangs can't be abandoned. The limit
  /// counts from when the test got its thread, and not while it is in
  /// ``withMainRunLoop(clock:timeLimit:mayLeaveTasks:sourceLocation:_:)``.
  ///
  /// If a suite and its tests both have the trait, each test still has one thread, and the innermost arguments count.
  ///
  /// - Important: Code of the main actor doesn't run on the thread. In a `@MainActor` test, use
  ///   ``withMainRunLoop(clock:timeLimit:mayLeaveTasks:sourceLocation:_:)`` instead. If a test runs the main loop
  ///   itself, or schedules there on the main thread, and never schedules on its own loop, that is an issue. In a
  ///   target whose default isolation is the main actor, only a `@concurrent` test runs on its thread.
  public struct OwnRunLoop: TestTrait, SuiteTrait, TestScoping {
    /// Whether the trait of a suite also applies to the suites in it: always.
    public var isRecursive: Bool { true }
    private let options: TestScope.Options

    /// - Parameter listens: whether to listen to the loops of tests. The tests of this package don't, because most
    ///   programs don't.
    package init(clock: RunLoopTestClock, timeLimit: Duration, mayLeaveTasks: Bool, listens: Bool) {
      options = TestScope.Options(
        clock: clock, timeLimit: timeLimit, mayLeaveTasks: mayLeaveTasks, listens: listens)
      letAdvancesBelongToTests()  // traits are made before the first test runs
    }

    /// Runs a test on a new thread; Swift Testing calls this.
    ///
    /// - Parameters:
    ///   - test: the test.
    ///   - testCase: the case of its arguments.
    ///   - function: a function that runs the test.
    /// - Throws: the error that the test throws.
    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      // This is called once for each trait that the test has, the outermost first.
      if TestScope.ofOwnLoop != nil { return try await function() }
      let innermost = test.traits.compactMap { $0 as? OwnRunLoop }.last ?? self
      try await innermost.run(function, as: test.name, at: test.sourceLocation)
    }

    /// Runs the code of a test on a new thread, once it is its turn.
    func run(
      _ function: @Sendable () async throws -> Void, as name: String, at sourceLocation: SourceLocation
    ) async throws {
      try await Turns.ofTests.take()
      defer { Turns.ofTests.giveBack() }
      let thread = TestThread(named: String(name.prefix { $0 != "(" }))
      defer { thread.add(nil) }
      try await withTaskExecutorPreference(thread) {
        try await runOnThread(function, as: name, at: sourceLocation, on: thread)
      }
    }

    @concurrent private func runOnThread(
      _ function: @Sendable () async throws -> Void, as name: String, at sourceLocation: SourceLocation,
      on thread: TestThread
    ) async throws {
      let scope = TestScope("The test \(name)", at: sourceLocation, options) { thread.add($0) }
      defer { scope.end() }
      try await TestScope.$ofOwnLoop.withValue(scope) { try await function() }
    }
  }

  extension Trait where Self == OwnRunLoop {
    /// Runs each test on a new thread, with a run loop that only the test runs, for 60 seconds at most.
    ///
    /// ```swift
    /// @Test(.ownRunLoop) func reloadsOnce() {
    ///   let key = "reload"
    ///   for _ in 1...2 {
    ///     RunLoop.current.perform {}.when(.currentLoopEnded).coalesced(by: key)
    ///   }
    ///   #expect(RunLoop.current.taskQueue.count == 1)
    ///   RunLoop.current.runPass()
    /// }
    /// ```
    public static var ownRunLoop: Self { ownRunLoop() }

    /// Runs each test on a new thread, with a run loop that only the test runs.
    ///
    /// ```swift
    /// @Suite(.ownRunLoop(timeLimit: .seconds(10))) struct LoaderTests {}
    /// ```
    ///
    /// - Important: A limit of zero or less traps.
    /// - Parameters:
    ///   - clock: how the task clock of the loop goes.
    ///   - timeLimit: the time after which a test counts as hung, from when it got its thread.
    ///   - mayLeaveTasks: whether tasks that a test leaves pending are cancelled without an issue.
    ///   - fileID: the calling file, which the message of a trap names. Use the default.
    ///   - line: the calling line, which the message of a trap names. Use the default.
    public static func ownRunLoop(
      clock: RunLoopTestClock = .running, timeLimit: Duration = .seconds(60), mayLeaveTasks: Bool = false,
      fileID: StaticString = #fileID, line: UInt = #line
    ) -> Self {
      if timeLimit <= .zero {
        Call(".ownRunLoop(timeLimit:)", fileID, line).stop("needs a limit of more than zero, not \(timeLimit)")
      }
      return OwnRunLoop(clock: clock, timeLimit: timeLimit, mayLeaveTasks: mayLeaveTasks, listens: true)
    }
  }
#endif
