#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import Testing

  /// Tasks that are due on a loop that nobody runs are told of on standard error.
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

    /// Side by side, because each takes five seconds and longer.
    @Test func fiveSecondsAreWaitedFor() async {
      async let tasks: Void = aTaskOfALivingThreadIsNamedAfterFiveSecondsWithoutActivity()
      async let activity: Void = aLoopWithActivitySaysNothing()
      async let stopped: Void = timeInWhichTheProcessIsStoppedDoesNotCount()
      async let waits: Void = waitsInVainAreNamed()
      _ = await (tasks, activity, stopped, waits)
    }

    /// After five seconds without activity. What must not be told of is scheduled earlier than the last that must be.
    private func aTaskOfALivingThreadIsNamedAfterFiveSecondsWithoutActivity() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        endInTime()
        let pipe = Pipe()
        dup2(pipe.fileHandleForWriting.fileDescriptor, STDERR_FILENO)
        let start = ContinuousClock.now
        for code in Self.codes { Self.onLivingThread(code) }
        var lines: [String] = []
        var data = Data()
        while lines.count < 7 {
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
      let names = [
        "second", "posted", "ran once", "ran in another mode", "replaced", "replaced by a post", "not delayed",
      ]
      let expected = names.compactMap { name in
        source?.firstIndex { $0.hasSuffix("// line \"\(name)\"") }
      }
      #expect(lines.first == "late" && lines.count == 8 && expected.count == 7, "\(lines)")
      for line in expected {
        #expect(lines.contains { $0.contains("UnrunLoopTests.swift:\(line + 1) has waited for 5 seconds") }, "\(lines)")
      }
    }

    /// What threads do whose loops nobody runs, outside the macro, in which all lines count as one.
    private static let codes: [@Sendable () -> Void] = [
      {  // not told of: cancelled, delayed or throttled
        RunLoop.current.perform {}.when(.idle).cancel()
        RunLoop.current.perform {}.when(.idle).after(.seconds(3_000))
        RunLoop.current.perform(when: .idle, after: .seconds(3_000)) {}
        RunLoop.current.perform {}.coalesced(by: "key", atMostEvery: .seconds(3_000)).runNow()
        RunLoop.current.perform {}.coalesced(by: "key", atMostEvery: .seconds(3_000))
        RunLoop.current.perform(coalescedBy: "key", atMostEvery: .seconds(3_000)) {}
      },
      {
        RunLoop.current.perform {}.when(.idle).cancel()
        RunLoop.current.perform {}.when(.idle)  // line "second"
        RunLoop.current.perform {}.when(.idle)
      },
      {
        let queue = RunLoop.current.taskQueue
        elsewhere { queue.perform {} }  // line "posted"
      },
      { for _ in 1...2 { RunLoop.current.perform {}.when(.idle).coalesced(by: "key") } },  // line "replaced"
      {
        let queue = RunLoop.current.taskQueue
        elsewhere { for _ in 1...2 { queue.perform(coalescedBy: "key") {} } }  // line "replaced by a post"
      },
      { RunLoop.current.perform {}.when(.idle).after(.zero) },  // line "not delayed"
      {
        RunLoop.current.perform {}.when(.idle)
        RunLoop.current.runPass()
        RunLoop.current.perform {}.when(.idle)  // line "ran once"
      },
      {
        RunLoop.current.perform {}.when(.idle).forModes(.custom)  // line "ran in another mode"
        _ = RunLoop.current.runUntil(timeout: .seconds(2)) { false }  // longer than a step
      },
    ]

    /// Each call that makes the loop do something, again and again, and a run that lasts, in whatever mode.
    private func aLoopWithActivitySaysNothing() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        endInTime()
        let step = DispatchSemaphore(value: 0)
        let activities: [@Sendable () -> Void] = [
          { RunLoop.current.runPass() },
          { RunLoop.current.runTasks(of: .currentLoopEnded) },
          {  // longer than a task may wait
            RunLoop.current.perform { Thread.sleep(forTimeInterval: 7) }.when(.currentLoopEnded)
            RunLoop.current.runTasks(of: .currentLoopEnded)
          },
          {
            RunLoop.current.perform { Thread.sleep(forTimeInterval: 7) }.forModes(.other).order(-1)
            RunLoop.current.perform { RunLoop.current.runPass() }.order(-2)  // the call still counts
            RunLoop.current.runAllTasks()
          },
          { poll(.other) },
          {
            addTimer(after: 3_000, in: .custom) {}
            run(.custom)  // which the package does not know
          },
        ]
        for activity in activities {
          Self.onLivingThread(isReady: step) {
            keepAlive(.other)  // a run of an empty mode is none
            RunLoop.current.perform {}.forModes(.other).cancel()
            RunLoop.current.perform {}.forModes(RunLoop.Mode("never"))
            step.signal()
            while true {
              activity()
              usleep(10_000)
            }
          }
        }
        // As many steps as would be too many, beginning later.
        for _ in 1...6 {
          DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 1) { step.signal() }
          step.waitOrDie("a step")
        }
        exit(0)
      }
      #expect(Self.lines(of: result) == [])
    }

    /// Stopped from outside for as long as a task may wait, the process takes no steps.
    private func timeInWhichTheProcessIsStoppedDoesNotCount() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        endInTime()
        Self.onThread {
          RunLoop.current.perform {}.when(.idle)
          let shell = Process()
          shell.executableURL = URL(filePath: "/bin/sh")
          shell.arguments = ["-c", "kill -STOP \(getpid()); sleep 5; kill -CONT \(getpid())"]
          try? shell.run()
          shell.waitUntilExit()
          let step = DispatchSemaphore(value: 0)
          DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 0.5) { step.signal() }
          step.wait()
          RunLoop.current.runAllTasks()
        }
        exit(0)
      }
      #expect(Self.lines(of: result) == [])
    }

    /// Calls `body` on a thread that stays.
    private static func onLivingThread(
      isReady: DispatchSemaphore = DispatchSemaphore(value: 0), _ body: @escaping @Sendable () -> Void
    ) {
      Thread {
        body()
        isReady.signal()
        while true { sleep(1_000) }
      }.start()
      isReady.wait()
    }

    /// Whether or not it has run before.
    @Test func whatIsScheduledAfterTheLastRunOfALoopThatEndsIsNamed() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        endInTime()
        Self.onThread {
          RunLoop.current.perform {}
          RunLoop.current.runPass()
          RunLoop.current.perform {}.when(.currentLoopEnded)
        }
        // Not told of: delayed, or scheduled in a run.
        Self.onThread {
          RunLoop.current.perform { RunLoop.current.perform {}.when(.idle).forModes(.other) }.when(.currentLoopEnded)
          RunLoop.current.perform {}.after(.seconds(3_000))
          RunLoop.current.runPass()
          addTimer { RunLoop.current.perform {}.when(.idle).forModes(.other) }
          RunLoop.current.runPass()
        }
        // Nor what is scheduled in the drain of a thread.
        let thread = RunLoopThread(name: "drained")
        thread.taskQueue.perform { Self.heartbeat() }
        thread.stop()
        await thread.join()
        exit(0)
      }
      let lines = Self.lines(of: result)
      #expect(lines.count == 1 && lines[0].contains("never ran, because its thread has ended"), "\(lines)")
    }

    private static func onThread(_ body: @escaping @Sendable () -> Void) { JoinableThread(body).join() }

    private static func heartbeat() { RunLoop.current.perform { heartbeat() }.when(.idle) }

    /// Two threads that wait for each other say so, once a process.
    private func waitsInVainAreNamed() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        endInTime()
        let pipe = Pipe()
        dup2(pipe.fileHandleForWriting.fileDescriptor, STDERR_FILENO)
        let threads = (1...2).map { RunLoopThread(name: "\($0)") }
        let haveBegun = Counter()
        for (one, other) in zip(threads, threads.reversed()) {
          one.taskQueue.perform {
            haveBegun.count()
            waitUntil { haveBegun.value == 2 }
            try? other.taskQueue.performAndWait {}
          }
        }
        print(String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self))
        // The other one, which has had its time as well, says nothing, nor does a wait whose closure lasts.
        let isOver = DispatchSemaphore(value: 0)
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 0.5) { isOver.signal() }
        isOver.waitOrDie("a step")
        fflush(nil)
        pipe.fileHandleForWriting.write(Data("end\n".utf8))
        print(String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self))
        fflush(nil)
        exit(0)
      }
      let lines = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n")
      #expect(lines.count == 2 && lines.last == "end", "\(lines)")
      #expect(lines[0].contains("performAndWait at RunLoopTasksTests/UnrunLoopTests.swift:"), "\(lines)")
    }

    private static func lines(of result: ExitTest.Result?) -> [Substring] {
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        .filter { $0.hasPrefix("RunLoopTasks:") }
    }
  }
#endif
