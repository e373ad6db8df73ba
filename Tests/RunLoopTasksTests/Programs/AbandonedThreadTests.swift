#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import Testing

  /// A `RunLoopThread` that ends because nobody refers to it, although tasks wait for their time, says so on standard
  /// error, once a process.
  @Suite(.onOwnLoop) struct AbandonedThreadTests {
    @Test func theDelayedTasksAreCountedOnce() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        endInTime()
        for _ in 1...2 { Self.abandon(delays: [3_000, 2_000]) }
        exit(0)
      }
      let lines = Self.lines(of: result)
      #expect(lines.count == 1)
      let beginning = "RunLoopTasks: nobody refers to the RunLoopThread \"worker\" any more"
      #expect(lines[0].hasPrefix(beginning) && lines[0].contains("2 delayed tasks, the first"), "\(lines)")
      #expect(lines[0].contains("AbandonedThreadTests.swift:"), "\(lines)")
    }

    @Test func nothingIsSaidOfAThreadThatIsStoppedOrHasNoSuchTasks() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        endInTime()
        Self.abandon(delays: [])
        for runningDelayedTasks in [true, false] {
          let thread = RunLoopThread(name: "worker")
          thread.taskQueue.perform(after: .seconds(3_000)) {}
          thread.stop(runningDelayedTasks: runningDelayedTasks)
          await thread.join()
        }
        exit(0)
      }
      #expect(Self.lines(of: result) == [])
    }

    /// Returns once the loop has ended, with it the tasks for other modes.
    private static func abandon(delays: [Int]) {
      let hasEnded = DispatchSemaphore(value: 0)
      do {
        let thread = RunLoopThread(name: "worker")
        for delay in delays { thread.taskQueue.perform(after: .seconds(delay)) {} }
        thread.taskQueue.perform(forModes: [.custom], closure(whenReleased: { hasEnded.signal() }))
      }
      hasEnded.waitOrDie("the end of the loop")
    }

    private static func lines(of result: ExitTest.Result?) -> [Substring] {
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        .filter { $0.hasPrefix("RunLoopTasks: nobody refers") }
    }
  }
#endif
