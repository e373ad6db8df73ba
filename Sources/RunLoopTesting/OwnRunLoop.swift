#if canImport(Testing)
  import RunLoopTasks
  import Testing

  /// A trait that runs each test on a new thread, with a run loop that only the test runs.
  ///
  /// ```swift
  /// @Suite(.ownRunLoop) struct SearchTests {
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
  /// issue with its file and line, recorded behind the last line of the test. What other threads have sent, and what
  /// async code awaits, doesn't count.
  ///
  /// A test that exceeds the time limit fails with an issue that says what its loop waits for and what is pending. Its
  /// thread is abandoned, and the other tests go on. The limit counts from when the test got its thread, and not while
  /// the test is in ``withMainRunLoop(timeLimit:sourceLocation:_:)``.
  ///
  /// If a suite and its tests both have the trait, each test still has one thread, and the innermost limit counts.
  ///
  /// - Important: Code of the main actor doesn't run on the thread. In a `@MainActor` test, use
  ///   ``withMainRunLoop(timeLimit:sourceLocation:_:)`` instead.
  public struct OwnRunLoop: TestTrait, SuiteTrait, TestScoping {
    /// Whether the trait of a suite also applies to the suites in it: always.
    public var isRecursive: Bool { true }
    private let timeLimit: Duration
    private let mayLeaveTasks: Bool

    /// The thread of the test that the calling code belongs to, if it has one of its own.
    @TaskLocal static var thread: TestThread?

    /// - Parameter mayLeaveTasks: whether tasks that a test leaves pending are no issues. For tests of this package, of
    ///   which many are about such tasks.
    package init(timeLimit: Duration, mayLeaveTasks: Bool = false) {
      (self.timeLimit, self.mayLeaveTasks) = (timeLimit, mayLeaveTasks)
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
      if Self.thread != nil { return try await function() }
      recordAdvancesThatGiveUp()
      let innermost = test.traits.compactMap { $0 as? OwnRunLoop }.last ?? self
      let thread = TestThread(
        of: test, testCase, timeLimit: innermost.timeLimit, mayLeaveTasks: innermost.mayLeaveTasks)
      await AbandonableFunction.lend(function) { function in
        await Self.$thread.withValue(thread) { await thread.run(function) }
      }
      switch await thread.end.value {
      case .ended(let result): try result.get()
      case .hung(let description): Issue.record(Comment(rawValue: description), sourceLocation: test.sourceLocation)
      }
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
    public static var ownRunLoop: Self { OwnRunLoop(timeLimit: .seconds(60)) }

    /// Runs each test on a new thread, with a run loop that only the test runs.
    ///
    /// ```swift
    /// @Suite(.ownRunLoop(timeLimit: .seconds(10))) struct LoaderTests {}
    /// ```
    ///
    /// - Important: A limit of zero or less traps.
    /// - Parameters:
    ///   - timeLimit: the time after which a test counts as hung, from when it got its thread.
    ///   - fileID: the calling file, which the message of a trap names. Use the default.
    ///   - line: the calling line, which the message of a trap names. Use the default.
    public static func ownRunLoop(
      timeLimit: Duration, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Self {
      if timeLimit <= .zero {
        Call(".ownRunLoop(timeLimit:)", fileID, line).stop("needs a limit of more than zero, not \(timeLimit)")
      }
      return OwnRunLoop(timeLimit: timeLimit)
    }
  }
#endif
