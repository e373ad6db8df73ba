#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import Testing

  @testable import RunLoopTasks

  /// The library in a process that has no file descriptors or no memory left.
  @Suite(.onOwnLoop) struct SystemLimitTests {
    @Test func aLoopNeedsNoFileDescriptorsOnceItExists() async {
      await #expect(processExitsWith: .success) {
        endInTime()
        let thread = RunLoopThread(name: "worker")
        thread.taskQueue.budget = .nanoseconds(1)  // Each pass leaves tasks, and wakes the loop.
        try useUpFileDescriptors()
        let log = Log()
        for number in 1...10 {
          for timing in RunLoopTask.Timing.allCases { thread.taskQueue.perform(when: timing) { log("\(number)") } }
        }
        for timing in RunLoopTask.Timing.allCases { try await thread.taskQueue.run(when: timing) {} }
        try #require(log.events.count == 30)
        thread.stop()
        await thread.join()
      }
    }

    #if os(Linux)  // Elsewhere a loop needs no file descriptors.

      @Test func aThreadThatCannotCreateItsLoopStopsTheProgramAtOnce() async {
        let result = await #expect(processExitsWith: .failure) {
          endInTime()
          try useUpFileDescriptors()
          _ = RunLoopThread(name: "worker")
        }
        #expect(result.map { $0.exitStatus != .signal(SIGALRM) } == true)
        let other = await #expect(processExitsWith: .failure) {
          endInTime()
          _ = RunLoop.main
          try useUpFileDescriptors()
          elsewhere { RunLoop.current.perform {}.when(.idle) }
        }
        #expect(other.map { $0.exitStatus != .signal(SIGALRM) } == true)
      }

    #endif
  }

  /// Opens as many files as the limit of the process allows.
  private func useUpFileDescriptors() throws {
    // Dispatch ends the process if it finds no descriptor for its first timer.
    let hasTimers = DispatchSemaphore(value: 0)
    DispatchQueue.global().asyncAfter(deadline: .now()) { hasTimers.signal() }
    hasTimers.waitOrDie("a timer of Dispatch")
    var limit = rlimit(rlim_cur: 256, rlim_max: 256)
    #if os(Linux)
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    #else
      try #require(setrlimit(RLIMIT_NOFILE, &limit) == 0)
    #endif
    while dup(STDERR_FILENO) >= 0 {}
  }
#endif
