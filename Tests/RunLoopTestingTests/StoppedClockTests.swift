import Foundation
import RunLoopTasks
import Testing

@testable import RunLoopTesting

@Suite(.ownRunLoop(clock: .stopped)) struct StoppedClockTests {
  @Test func onlyAnAdvanceMovesTheClock() {
    let (clock, start) = (RunLoop.current.taskQueue.clock, RunLoop.current.taskQueue.clock.now)
    spin(for: 0.002)
    #expect(clock.now == start)
    RunLoop.current.advance(by: .milliseconds(299))
    spin(for: 0.002)
    #expect(start.duration(to: clock.now) == .milliseconds(299))
  }

  @Test func noSleepStartsTheClock() {
    var hasRun = false
    let start = RunLoop.current.taskQueue.clock.now
    RunLoop.current.perform { hasRun = true }.after(.nanoseconds(1))
    #expect(!RunLoop.current.runUntil(timeout: .milliseconds(20)) { hasRun })
    RunLoop.current.perform { _ = RunLoop.current.run(mode: .default, before: .now + 0.02) }
    RunLoop.current.advance(by: .zero)
    #expect(!hasRun)
    #expect(RunLoop.current.taskQueue.clock.now == start)
    RunLoop.current.advance(by: .nanoseconds(1))
    #expect(hasRun)
  }

  @Test func whatComesWhileTheLoopSleepsRuns() {
    let (queue, hasRun) = (RunLoop.current.taskQueue, Count())
    RunLoop.current.perform {}.after(.seconds(1))
    Thread { queue.perform { hasRun.add() } }.start()
    RunLoop.current.runUntil { hasRun.value == 1 }
    RunLoop.current.taskQueue.cancelAll()
  }

  @Test func aBackOffOfTheLoopPasses() {
    // An observer that schedules in each pass makes the loop back off, and sleep for a while.
    var left = 8
    let observer = RunLoop.current.observe(.beforeWaiting) { _ in
      left -= 1
      if left >= 0 { RunLoop.current.perform {}.when(.currentLoopEnded) }
    }
    RunLoop.current.perform {}.when(.idle)
    RunLoop.current.runUntilTasksFinish()
    observer.invalidate()
    RunLoop.current.runUntilTasksFinish()
  }

  @Test(.ownRunLoop(clock: .running)) func theInnermostClockCounts() {
    let start = RunLoop.current.taskQueue.clock.now
    spin(for: 0.002)
    #expect(RunLoop.current.taskQueue.clock.now > start)
  }
}

struct StoppedClockCallTests {
  @Test func aWaitForItsDatesIsAnIssueAndReturns() async {
    await expectIssues("would wait for the stopped clock") {
      try? await runWithTrait(.ownRunLoop(clock: .stopped)) { waitInVain() }
    }
  }

  /// Xcode shows an issue where the path says.
  @Test func theIssueHasThePathOfTheCall() async throws {
    let places = Locked<[SourceLocation?]>([])
    await withKnownIssue {
      try? await runWithTrait(.ownRunLoop(clock: .stopped)) { waitInVain() }
    } matching: { issue in
      places.withLock { $0.append(issue.sourceLocation) }
      return true
    }
    let place = try #require(places.withLock { $0 }.first ?? nil)
    #expect(String(decoding: try encode(place), as: UTF8.self).contains(#filePath))
    let elsewhere = String(decoding: try encode(SourceLocation("Other/File.swift", 7)), as: UTF8.self)
    #expect(elsewhere.contains("Other/File.swift") && !elsewhere.contains(#filePath), "\(elsewhere)")
  }

  /// On the main loop, where other code's dates then come.
  @Test func theClockRunsOnFromWhatItShows() async throws {
    let (clock, hasRun) = (RunLoopTaskQueue.main.clock, Count())
    let end = try await withMainRunLoop(clock: .stopped) { loop in
      RunLoopTaskQueue.main.run(after: .seconds(1_000) + .milliseconds(10), hasRun)
      let start = clock.now
      loop.advance(by: .seconds(1_000))
      #expect(start.duration(to: clock.now) == .seconds(1_000))
      return clock.now
    }
    try await withMainRunLoop { loop in
      #expect(clock.now > end)
      #expect(loop.runUntil(timeout: .seconds(60)) { hasRun.value == 1 })
    }
  }
}

extension RunLoopTaskQueue {
  /// From another thread, so that no test has left it behind.
  fileprivate func run(after delay: Duration, _ count: Count) {
    let isSent = DispatchSemaphore(value: 0)
    Thread {
      self.perform(after: delay) { count.add() }
      isSent.signal()
    }.start()
    isSent.wait()
  }
}

private func waitInVain() {
  RunLoop.current.perform {}
  RunLoop.current.perform {}.after(.milliseconds(1))
  #expect(!RunLoop.current.runUntilTasksFinish(timeout: .seconds(60)))
  #expect(RunLoop.current.taskQueue.count == 1)
  RunLoop.current.taskQueue.cancelAll()
}

private func spin(for seconds: Double) {
  let end = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < end {}
}

#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  @Suite(.ownRunLoop(timeLimit: .seconds(300))) struct PausedMachineTests {
    /// A process that is stopped for 5 to 50 ms again and again, as on a busy machine. `PAUSED_TESTS` says how many
    /// tests run in it.
    @Test func aStoppedClockIsExactOnAMachineThatPauses() async {
      await #expect(processExitsWith: .success) {
        let count = ProcessInfo.processInfo.environment["PAUSED_TESTS"].flatMap(Int.init) ?? 50
        let pauses = try pauseProcess()
        for number in 1...count {
          try await runWithTrait(.ownRunLoop(clock: .stopped)) {
            #expect(debounce(at: number) == [0, 0, 1], "test \(number)")
          }
        }
        pauses.terminate()
      }
    }
  }

  /// The saves so far, at the last moments before a debounce ends and when it ends.
  private func debounce(at number: Int) -> [Int] {
    var (saves, seen) = (0, [Int]())
    for _ in 1...2 {
      RunLoop.current.perform { saves += 1 }.after(.milliseconds(10)).coalesced(by: "save")
      spin(for: Double(number % 10) / 2_000)
      RunLoop.current.advance(by: .nanoseconds(9_999_999))
      seen.append(saves)
    }
    spin(for: 0.001)
    RunLoop.current.advance(by: .nanoseconds(1))
    return seen + [saves]
  }

  /// Stops this process at random, until the returned one is terminated, which lets this process go on in any case.
  private func pauseProcess() throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let pauses = (1...200).map { _ in
      let (pause, rest) = (Double.random(in: 0.005...0.05), Double.random(in: 0.001...0.01))
      return "kill -STOP $1 || exit; sleep \(pause); kill -CONT $1; sleep \(rest)\n"
    }
    let script = "trap 'kill -CONT $1; exit' TERM; while true; do \(pauses.joined()) done"
    process.arguments = ["-c", script, "sh", "\(getpid())"]
    try process.run()
    return process
  }
#endif

/// With its path, which older versions of Swift Testing don't show in another way.
private func encode(_ place: SourceLocation) throws -> Data {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .withoutEscapingSlashes
  return try encoder.encode(place)
}
