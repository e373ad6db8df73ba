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
        let duration = try await RunLoopThread(name: "worker").taskQueue.run {
          for second in 1...50 { RunLoop.current.perform { Task.detached {} }.after(.seconds(1_000 * second)) }
          return ContinuousClock().measure { RunLoop.current.advance(by: .seconds(60_000)) }
        }
        #expect(duration < .seconds(5))  // a wait takes 100 ms
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
      #expect(lines.first?.contains("whose jobs still come after 1000 rounds") == true)
      #expect(lines.first?.contains("AdvanceLimitTests.swift:") == true)
    }

    /// A test may have started them, or other code.
    @Test func jobsThatNobodyOwnsAreGivenUp() async throws {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        endInTime()
        JobOwner.tellTests { Thread.current.name == "test" ? JobOwner(test: 1) : nil }
        Thread.detachNewThread { Task.detached { while true { await Task.yield() } } }
        try await RunLoopThread(name: "test").taskQueue.run {
          for _ in 1...3 { RunLoop.current.advance(by: .seconds(1_000)) }
        }
      }
      let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
      #expect(lines.count == 1, "\(lines)")
      #expect(lines.first?.contains(/AdvanceLimitTests.swift:\d+ waits no longer .* after 100 rounds/) == true)
    }
  }
#endif
