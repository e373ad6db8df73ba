import Foundation
import RunLoopTasks
import Testing

@testable import RunLoopVirtualTime

#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  /// How long `RunLoop.advance` waits for async code, and what it says if it waits no longer.
  ///
  /// In processes of their own, as the tests beside them.
  @Suite(.onOwnLoop, .serialized) struct AdvanceLimitTests {
    @Test func aLoopWithoutAsyncCodeHoldsNoMeetings() async {
      await #expect(processExitsWith: .success) {
        endInTime()
        let meetings = try await RunLoopThread(name: "worker").taskQueue.run {
          var before = 0
          for call in 0...100 {
            if call == 1 { before = JobTimes.shared.now }
            RunLoop.current.perform {}.after(.seconds(500))
            RunLoop.current.advance(by: .seconds(1_000))
          }
          return JobTimes.shared.now - before
        }
        #expect(meetings <= 3)  // for what starts this process
      }
    }

    @Test func aCallBesideBusyJobsOfTheLowestPriorityWaitsForThemOnce() async {
      await #expect(processExitsWith: .success) {
        endInTime()
        for _ in 1...8 { Task.detached(priority: .background) { while true {} } }
        let durations = try await RunLoopThread(name: "worker").taskQueue.run {
          for second in 1...51 { RunLoop.current.perform { Task.detached {} }.after(.seconds(1_000 * second)) }
          return [measureAdvance(by: .seconds(1_000)), measureAdvance(by: .seconds(60_000))]
        }
        #expect(durations[1] < durations[0] * 12, "\(durations)")  // each waits for the busy jobs once
      }
    }

    #if os(Linux)  // elsewhere such a thread counts as blocked
      /// For longer than a blocked thread is waited for.
      @Test func aJobThatComputesIsAwaited() async {
        await #expect(processExitsWith: .success) {
          endInTime()
          let isDone = Counter()
          try await RunLoopThread(name: "worker").taskQueue.run {
            Task.detached {
              spin(for: .milliseconds(300))
              isDone.count()
            }
            RunLoop.current.advance(by: .zero)
            #expect(isDone.value == 1)
          }
        }
      }
    #endif

    @Test func jobsThatAlwaysComeAreGivenUp() async throws {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        endInTime()
        Task.detached { while true { await Task.yield() } }
        try await RunLoopThread(name: "worker").taskQueue.run {
          _ = RunLoop.current.advance(by: .seconds(1_000))
        }
      }
      let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
      #expect(lines.count == 1, "\(lines)")
      #expect(lines.first?.contains("AdvanceLimitTests.swift:") == true)
      #expect(
        lines.first?.contains("that still goes on after 1000 rounds of waiting: if it polls, as with Task.yield()")
          == true)
    }

    /// A test may have started them, or other code. The test of a loop is not known.
    @Test(arguments: ["test", "worker"]) func jobsThatNobodyOwnsAreGivenUp(thread: String) async throws {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [thread] in
        endInTime()
        JobOwner.tellTests { Thread.current.name == "test" ? JobOwner(test: 1) : nil }
        // The thread of the jobs is nobody's, or another test's.
        try await RunLoopThread(name: thread == "test" ? "other" : "test").taskQueue.run {
          _ = Task.detached { while true { await Task.yield() } }
        }
        try await RunLoopThread(name: thread).taskQueue.run {
          for _ in 1...3 { RunLoop.current.advance(by: .seconds(1_000)) }
        }
      }
      let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
      #expect(lines.count == 3, "\(lines)")  // one a call
      #expect(
        lines.allSatisfy {
          $0.contains(/AdvanceLimitTests.swift:\d+ no longer waits, .* into the advance, .* 100 rounds/)
        }, "\(lines)"
      )
      #expect(lines.allSatisfy { $0.contains("let the test await it") })
    }

    #if os(Linux)  // elsewhere such a thread counts as blocked
      @Test(.enabled(if: widthOfSharedThreads > 1)) func eachCallTellsOfABusyThread() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
          endInTime()
          Task.detached { while true {} }
          try await RunLoopThread(name: "worker").taskQueue.run {
            for _ in 1...2 {
              RunLoop.current.perform { Task.detached {} }.after(.seconds(1))
              RunLoop.current.advance(by: .seconds(1))
            }
          }
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.allSatisfy { $0.contains(/AdvanceLimitTests.swift:\d+ no longer waits, .* busy/) })
      }
    #endif

    /// A test without a loop of its own may advance that of its thread.
    @Test(.enabled(if: widthOfSharedThreads > 1)) func aCallOnASharedThreadDoesNotWaitForItself() async throws {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        endInTime()
        await Task.detached { advanceCurrentLoop() }.value
      }
      #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == "")
    }
  }

  private func advanceCurrentLoop() {
    RunLoop.current.perform { Task.detached {} }.after(.seconds(1))
    RunLoop.current.advance(by: .seconds(1))
  }

  private func measureAdvance(by duration: Duration) -> Duration {
    ContinuousClock().measure { RunLoop.current.advance(by: duration) }
  }
#endif
