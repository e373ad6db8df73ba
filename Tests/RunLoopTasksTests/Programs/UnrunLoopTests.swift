#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import Testing

  /// Tasks that are pending on a loop that has never run are told of on standard error.
  @Suite(.onOwnLoop) struct UnrunLoopTests {
    @Test func theFirstTaskOfALoopThatEndsIsNamedOnceALoopAndTenTimesAProcess() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        endInTime()
        for _ in 1...12 { Self.onThread { for _ in 1...2 { RunLoop.current.perform {}.when(.currentLoopEnded) } } }
        exit(0)
      }
      let lines = Self.lines(of: result)
      #expect(lines.count == 10 && Set(lines).count == 1)
      #expect(lines[0].contains(/scheduled at RunLoopTasksTests\/UnrunLoopTests.swift:\d+ never ran/), "\(lines)")
      #expect(lines[0].contains("taskQueue of a loop that runs"), "\(lines)")
    }

    /// Five seconds after it was scheduled. What must not be told of is scheduled earlier than the last that must be.
    @Test func aTaskOfALivingThreadIsNamedFiveSecondsAfterItsDate() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        endInTime()
        let pipe = Pipe()
        dup2(pipe.fileHandleForWriting.fileDescriptor, STDERR_FILENO)
        let start = ContinuousClock.now
        for code in Self.codes { Self.onLivingThread(code) }
        var lines: [String] = []
        var data = Data()
        while lines.count < 2 {
          data += pipe.fileHandleForReading.availableData
          lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        print(ContinuousClock.now - start >= .seconds(5) ? "late" : "early")
        print(lines.sorted().joined(separator: "\n"))
        fflush(nil)
        exit(0)
      }
      let lines = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n")
      let source = (try? String(contentsOfFile: #filePath, encoding: .utf8))?.split(
        separator: "\n", omittingEmptySubsequences: false)
      let expected = ["second", "posted"].compactMap { name in
        source?.firstIndex { $0.hasSuffix("// line \"\(name)\"") }
      }
      #expect(lines.first == "late" && lines.count == 3 && expected.count == 2, "\(lines)")
      for line in expected {
        #expect(lines.contains { $0.contains("UnrunLoopTests.swift:\(line + 1) has waited for 5 seconds") }, "\(lines)")
      }
    }

    /// What threads do whose loops nobody runs, outside the macro, in which all lines count as one.
    private static let codes: [@Sendable () -> Void] = [
      {  // not told of: cancelled or delayed
        RunLoop.current.perform {}.when(.idle).cancel()
        RunLoop.current.perform {}.when(.idle).after(.seconds(3_000))
        RunLoop.current.perform(when: .idle, after: .seconds(3_000)) {}
      },
      {  // not told of: the loop runs
        RunLoop.current.perform {}.when(.idle).forModes(.custom)
        RunLoop.current.runPass()
      },
      {
        RunLoop.current.perform {}.when(.idle)
        RunLoop.current.runTasks(of: .currentLoopEnded)
      },
      {
        RunLoop.current.perform {}.when(.idle).forModes(.custom)
        RunLoop.current.runAllTasks()
        RunLoop.current.perform {}.when(.idle)
      },
      {
        RunLoop.current.perform {}.when(.idle).cancel()
        RunLoop.current.perform {}.when(.idle)  // line "second"
        RunLoop.current.perform {}.when(.idle)
      },
      {
        let queue = RunLoop.current.taskQueue
        elsewhere { queue.perform(after: .milliseconds(1)) {} }  // line "posted"
      },
    ]

    /// Calls `body` on a thread that stays.
    private static func onLivingThread(_ body: @escaping @Sendable () -> Void) {
      let isDone = DispatchSemaphore(value: 0)
      Thread {
        body()
        isDone.signal()
        while true { sleep(1_000) }
      }.start()
      isDone.wait()
    }

    @Test func aLoopThatHasRunSaysNothing() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        endInTime()
        Self.onThread {
          RunLoop.current.runPass()
          RunLoop.current.perform {}.when(.currentLoopEnded)
        }
        Self.onThread {
          RunLoop.current.runAllTasks()
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
