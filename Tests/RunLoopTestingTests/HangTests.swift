#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import Testing

  @testable import RunLoopTesting

  /// A test that hangs stops its process, so each of these has one of its own. The thread of each waits for that
  /// process, which would block one of Swift's shared threads for the tests beside it.
  @Suite(.ownRunLoop) struct HangTests {
    @Test func aLoopThatSleepsSaysWhatIsPending() async {
      await expectHang(
        "The test that hangs at RunLoopTestingTests/HangTests.swift:", "its loop sleeps in the default mode",
        "nextLoopBegan in \"never\", scheduled at RunLoopTestingTests/HangTests.swift:"
      ) {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try await runWithTrait(.ownRunLoop(timeLimit: .milliseconds(100))) {
            hang {
              RunLoop.current.perform {}.forModes(RunLoop.Mode("never"))
              RunLoop.current.runUntil { false }
            }
            Issue.record("the test has gone on")
          }
        }
      }
    }

    @Test func theIssueNamesTheMode() async {
      await expectHang("sleeps in the mode \"custom\"; give the call that runs it a timeout. No task is pending") {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try await runWithTrait(.ownRunLoop(timeLimit: .milliseconds(100))) {
            hang { RunLoop.current.runUntil(mode: RunLoop.Mode("custom")) { false } }
          }
        }
      }
    }

    @Test func codeThatBlocksOutsideRuns() async {
      await expectHang("does not return, outside any run of its loop. 1 task is pending") {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try await runWithTrait(.ownRunLoop(timeLimit: .milliseconds(100))) {
            hang {
              RunLoop.current.perform {}.when(.idle)
              DispatchSemaphore(value: 0).wait()
            }
          }
        }
      }
    }

    @Test func aTaskThatBlocksIsNamed() async {
      await expectHang(
        "does not return, in a run of its loop in the default mode", "The task of RunLoopTestingTests/HangTests.swift:",
        "(idle) runs"
      ) {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try await runWithTrait(.ownRunLoop(timeLimit: .milliseconds(100))) {
            hang {
              RunLoop.current.perform { DispatchSemaphore(value: 0).wait() }.when(.idle)
              RunLoop.current.runPass()
            }
          }
        }
      }
    }

    /// The innermost one, and none that has ended.
    @Test func aTaskThatRunsTheLoopIsNamed() async {
      await expectHang(
        "its loop sleeps in the default mode;", ". The task of", "(currentLoopEnded) runs. No task is pending"
      ) {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try await runWithTrait(.ownRunLoop(timeLimit: .milliseconds(100))) {
            hang {
              RunLoop.current.perform {
                RunLoop.current.perform { RunLoop.current.runUntil { false } }.when(.currentLoopEnded)
                RunLoop.current.perform {}.when(.nextLoopBegan)
                RunLoop.current.runPass()
              }.when(.idle)
              RunLoop.current.runPass()
            }
          }
        }
      }
    }

    @Test func anAwaitThatNeverEnds() async {
      await expectHang("awaits something, and nobody runs its loop meanwhile", "idle in default, scheduled at") {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try await runWithTrait(.ownRunLoop(timeLimit: .milliseconds(100))) {
            hang { RunLoop.current.perform {}.when(.idle) }
            try await Task.sleep(for: .seconds(1_000_000))
          }
        }
      }
    }

    @Test func aBodyOfTheMainLoop() async {
      await expectHang(
        "withMainRunLoop at RunLoopTestingTests/HangTests.swift:", "scheduled at RunLoopTestingTests/HangTests.swift:",
        "sleeps in the default mode"
      ) {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try await withMainRunLoop(timeLimit: .milliseconds(100)) { loop in
            loop.perform {}.forModes(RunLoop.Mode("never"))
            loop.runUntil { false }
          }
        }
      }
    }

    @Test func aTaskOfTheMainLoopIsNamed() async {
      await expectHang("The task of RunLoopTestingTests/HangTests.swift:", "(nextLoopBegan) runs") {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try await withMainRunLoop(timeLimit: .milliseconds(100)) { loop in
            MainActor.perform { DispatchSemaphore(value: 0).wait() }
            loop.runPass()
          }
        }
      }
    }

    @Test func aTestOfTheMainActorGetsAdvice() async {
      await expectHang("use withMainRunLoop instead of .ownRunLoop") {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try await runWithTrait(.ownRunLoop(timeLimit: .milliseconds(100))) { @MainActor in
            hang { RunLoop.main.runUntil { false } }
          }
        }
      }
    }

    @Test func aHangIsToldWhileAllSharedThreadsAreBlocked() async {
      await expectHang("sleeps in the default mode") {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try await runWithTrait(.ownRunLoop(timeLimit: .milliseconds(100))) {
            hang {
              for priority in [TaskPriority.high, .medium, .low, .background] {
                for _ in 1...100 { Task(priority: priority) { hang { DispatchSemaphore(value: 0).wait() } } }
              }
              RunLoop.current.runUntil { false }
            }
          }
        }
      }
    }

    // MARK: when the limit counts

    /// In a process of its own, as no other test has a place meanwhile.
    @Test func theLimitCountsFromWhenTheTestHasItsThread() async {
      await #expect(processExitsWith: .exitCode(7)) {
        let places = ProcessInfo.processInfo.activeProcessorCount + 2
        for _ in 1...places { try await Turns.ofTests.take() }
        async let test: Void = runWithTrait(.ownRunLoop(timeLimit: .milliseconds(100))) {}
        hang { Thread.sleep(forTimeInterval: 0.5) }
        for _ in 1...places { Turns.ofTests.giveBack() }
        try await test
        exit(7)
      }
    }

    @Test func theLimitGoesOnAfterABodyOfTheMainLoop() async {
      await expectHang("has not ended within") {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try await runWithTrait(.ownRunLoop(timeLimit: .milliseconds(100))) {
            try await withMainRunLoop { _ in }
            hang { RunLoop.current.runUntil { false } }
          }
        }
      }
    }

    /// What waits for the main loop must not wait for the thread that hangs.
    @Test func theLimitGoesOnAfterABodyThatAChildAwaits() async {
      await expectHang("has not ended within") {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try await runWithTrait(.ownRunLoop(timeLimit: .milliseconds(100))) {
            async let body: Void = withMainRunLoop { _ in }
            await Task.yield()  // the job of the child comes before the rest
            hang { RunLoop.current.runUntil { false } }
            try await body
          }
        }
      }
    }

    // MARK: bodies that don't begin

    @Test func aMainThreadThatIsBlockedIsAnIssue() async throws {
      await #expect(processExitsWith: .exitCode(7)) {
        let isBlocked = DispatchSemaphore(value: 0)
        DispatchQueue.main.async {
          isBlocked.signal()
          Thread.sleep(forTimeInterval: 1_000_000)
        }
        hang { isBlocked.wait() }
        await expectIssues("something has held up the main thread for") {
          try? await withMainRunLoop(timeLimit: .milliseconds(100)) { _ in recordThatItHasRun() }
        }
        exit(7)
      }
    }

    @Test func aProcessWithoutAMainLoopIsAnIssue() async throws {
      await #expect(processExitsWith: .exitCode(7)) {
        let hasEnded = DispatchSemaphore(value: 0)
        RunLoopTaskQueue.main.perform {
          hasEnded.signal()
          Thread.exit()
        }
        hang { hasEnded.wait() }
        await expectIssues("has ended") {
          try? await withMainRunLoop { _ in recordThatItHasRun() }
        }
        exit(7)
      }
    }

    @Test func tasksOfTheMainLoopThatAreCancelled() async throws {
      await #expect(processExitsWith: .exitCode(7)) {
        await MainActor.run { Canceller.start() }
        await expectIssues("were cancelled") {
          try? await withMainRunLoop { _ in recordThatItHasRun() }
        }
        exit(7)
      }
    }

    @Test func aLimitOfZeroStopsTheProgram() async throws {
      let trait = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = OwnRunLoop.ownRunLoop(timeLimit: .zero)
      }
      await #expect(processExitsWith: .failure) { _ = OwnRunLoop.ownRunLoop(timeLimit: .seconds(-1)) }
      await #expect(processExitsWith: .failure) { try await withMainRunLoop(timeLimit: .zero) { _ in } }
      #expect(text(of: trait).contains("HangTests.swift:"))
      #expect(text(of: trait).contains(".ownRunLoop(timeLimit:) needs a limit of more than zero"))
      let body = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try await withMainRunLoop(timeLimit: .seconds(-1)) { _ in }
      }
      #expect(text(of: body).contains("withMainRunLoop at RunLoopTestingTests/HangTests.swift:"))
      #expect(text(of: body).contains("needs a time limit of more than zero"))
    }
  }

  /// Expects one issue with these texts, and that the process has ended with the same message.
  private func expectHang(
    _ texts: String..., sourceLocation: SourceLocation = #_sourceLocation, _ body: () async -> ExitTest.Result?
  ) async {
    var message = ""
    let issues = await issues(sourceLocation: sourceLocation) { message = text(of: await body()) }
    #expect(issues.count == 1, "\(issues)", sourceLocation: sourceLocation)
    for text in texts {
      #expect(issues.first?.contains(text) == true, "\(issues)", sourceLocation: sourceLocation)
      #expect(message.contains(text), "\(message)", sourceLocation: sourceLocation)
    }
  }

  /// What a process has written to standard error.
  private func text(of result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  /// Cancels all tasks of the main loop before they run.
  @MainActor private enum Canceller {
    private static var observer: RunLoopObserver?

    static func start() {
      observer = RunLoop.main.observe(.all, order: .min) { _ in RunLoopTaskQueue.main.cancelAll() }
    }
  }

  private func recordThatItHasRun() { Issue.record("it has run") }

  /// Async code must not block, but these tests have hangs.
  private func hang(_ body: () -> Void) { body() }
#endif
