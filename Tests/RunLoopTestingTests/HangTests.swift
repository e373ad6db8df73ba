#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import Testing

  @testable import RunLoopTesting

  /// Some of these stop processes, and some wait for limits of a tenth of a second.
  struct HangTests {
    private let limit = Duration.milliseconds(100)

    @Test func aLoopThatSleepsSaysWhatIsPending() async throws {
      let line = #line + 4
      await expectIssues("HangTests.swift:\(line)") {
        try? await runWithTrait(.ownRunLoop(timeLimit: limit)) {
          hang {
            RunLoop.current.perform {}.forModes(RunLoop.Mode("never"))
            RunLoop.current.runUntil { false }
          }
          Issue.record("the test has gone on")
        }
      }
    }

    @Test func theIssueNamesTheMode() async throws {
      await expectIssues("sleeps in the mode \"custom\"") {
        try? await runWithTrait(.ownRunLoop(timeLimit: limit)) {
          hang { RunLoop.current.runUntil(mode: RunLoop.Mode("custom")) { false } }
        }
      }
    }

    @Test func codeThatBlocksIsLeftAlone() async throws {
      let (semaphore, hasReturned) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      await expectIssues("outside any run of its loop") {
        try? await runWithTrait(.ownRunLoop(timeLimit: limit)) {
          hang {
            semaphore.wait()
            hasReturned.signal()
          }
        }
      }
      semaphore.signal()  // what comes late has no effect
      hang { hasReturned.wait() }
    }

    @Test func aTaskThatBlocksIsNamed() async throws {
      let semaphore = DispatchSemaphore(value: 0)
      await expectIssues("in a run of its loop in the default mode") {
        try? await runWithTrait(.ownRunLoop(timeLimit: limit)) {
          hang {
            RunLoop.current.perform { semaphore.wait() }.when(.idle)
            RunLoop.current.runPass()
          }
        }
      }
      semaphore.signal()
    }

    @Test func anAwaitThatNeverEnds() async throws {
      let line = #line + 4
      await expectIssues("HangTests.swift:\(line)") {
        try? await runWithTrait(.ownRunLoop(timeLimit: limit)) {
          hang {
            RunLoop.current.perform {}.when(.idle)
          }
          try? await Task.sleep(for: .seconds(1_000_000))
          Issue.record("the test has gone on")
        }
      }
    }

    /// What gets the turn must not wait for a thread that hangs.
    @Test(.timeLimit(.minutes(5))) func aHungTestKeepsNoTurnOfTheMainLoop() async throws {
      let (hasPlace, hasTurn, isHanging) = (FirstValue<Void>(), FirstValue<Void>(), FirstValue<Void>())
      async let issues: Void = expectIssues("has not ended within") {
        try? await runWithTrait(.ownRunLoop(timeLimit: .seconds(2))) {
          set(hasPlace)
          await hasTurn.value
          async let body: Void = withMainRunLoop { _ in }
          await Task.yield()  // the job of the child comes before the rest
          set(isHanging)
          hang { RunLoop.current.runUntil { false } }
          try await body
        }
        set(isHanging)  // if the limit has passed before
      }
      await hasPlace.value  // others may hold all places, and wait for the turn
      try await Turns.main.take()
      set(hasTurn)
      await isHanging.value
      Turns.main.giveBack()
      await issues
      try await withMainRunLoop { _ in }
    }

    @Test(.timeLimit(.minutes(5))) func aTestThatIsOverHasNoTurnOfTheMainLoop() async throws {
      let (semaphore, isRefused) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      await expectIssues("outside any run of its loop") {
        try? await runWithTrait(.ownRunLoop(timeLimit: limit)) {
          hang { semaphore.wait() }
          do { try await withMainRunLoop { _ in } } catch is CancellationError { isRefused.signal() }
        }
      }
      semaphore.signal()
      hang { isRefused.wait() }
    }

    @Test(.timeLimit(.minutes(5))) func theLimitGoesOnAfterABodyOfTheMainLoop() async throws {
      await expectIssues("has not ended within") {
        try? await runWithTrait(.ownRunLoop(timeLimit: limit)) {
          try await withMainRunLoop { _ in }
          hang { RunLoop.current.runUntil { false } }
        }
      }
    }

    @Test func hungTestsGiveTheirPlacesBack() async throws {
      for _ in 1...(2 * ProcessInfo.processInfo.activeProcessorCount + 4) {
        await expectIssues("has not ended within") {
          try? await runWithTrait(.ownRunLoop(timeLimit: .milliseconds(1))) {
            hang { RunLoop.current.runUntil { false } }
          }
        }
      }
      try await runWithTrait {}
    }

    @Test func aHungBodyOfTheMainLoopStopsTheProcess() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try await withMainRunLoop(timeLimit: .milliseconds(100)) { loop in
          loop.perform {}.forModes(RunLoop.Mode("never"))
          loop.runUntil { false }
        }
      }
      let message = text(of: result)
      #expect(message.contains("withMainRunLoop at RunLoopTestingTests/HangTests.swift:"))
      #expect(message.contains("scheduled at RunLoopTestingTests/HangTests.swift:"))
      #expect(message.contains("sleeps in the default mode"))
    }

    @Test func aMainThreadThatIsBlockedIsAnIssue() async throws {
      await #expect(processExitsWith: .exitCode(7)) {
        let isBlocked = DispatchSemaphore(value: 0)
        DispatchQueue.main.async {
          isBlocked.signal()
          Thread.sleep(forTimeInterval: 1_000_000)
        }
        hang { isBlocked.wait() }
        await expectIssues("has not begun it within") {
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

  private func set(_ event: FirstValue<Void>) { if event.claim() { event.set(()) } }

  private func recordThatItHasRun() { Issue.record("it has run") }

  /// Async code must not block, but these tests have hangs.
  private func hang(_ body: () -> Void) { body() }
#endif
