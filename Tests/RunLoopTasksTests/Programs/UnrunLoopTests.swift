#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import Testing

  /// A thread that ends with a pending task says so on standard error, once a process, if its loop has never run.
  @Suite(.onOwnLoop) struct UnrunLoopTests {
    @Test func theFirstTaskOfALoopThatNeverRanIsNamed() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        endInTime()
        for _ in 1...2 { Self.onThread { RunLoop.current.perform {}.when(.currentLoopEnded) } }
        exit(0)
      }
      let lines = Self.lines(of: result)
      #expect(lines.count == 1)
      #expect(lines[0].contains(/scheduled at RunLoopTasksTests\/UnrunLoopTests.swift:\d+ never ran/), "\(lines)")
      #expect(lines[0].contains("taskQueue of a loop that runs"), "\(lines)")
    }

    @Test func aLoopThatHasRunSaysNothing() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        endInTime()
        Self.onThread {
          RunLoop.current.runPass()
          RunLoop.current.perform {}.when(.currentLoopEnded)
        }
        // The task's mode is first used in its own run.
        Self.onThread {
          RunLoop.current.perform {}.cancel()
          addTimer(in: .custom) {
            RunLoop.current.perform {}.forModes(.custom).after(.seconds(3_000))
            stopRun()
          }
          run(.custom)
        }
        exit(0)
      }
      #expect(Self.lines(of: result) == [])
    }

    private static func onThread(_ body: @escaping @Sendable () -> Void) { JoinableThread(body).join() }

    private static func lines(of result: ExitTest.Result?) -> [Substring] {
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        .filter { $0.hasPrefix("RunLoopTasks:") }
    }
  }
#endif
