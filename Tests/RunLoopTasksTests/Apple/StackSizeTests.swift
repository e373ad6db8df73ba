import Foundation
import Testing

#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import RunLoopTasks

  /// The stack sizes of a `RunLoopThread`, which the library raises to what the system requires.
  @Suite(.onOwnLoop) struct StackSizeTests {
    @Test(arguments: [1, 16_384, 100_000, 1 << 20])
    func aThreadStartsAndRunsTasksAndJobs(stackSize: Int) async {
      await #expect(processExitsWith: .success) { [stackSize] in
        endInTime()
        let thread = RunLoopThread(name: "worker", stackSize: stackSize)
        for timing in RunLoopTask.Timing.allCases { try await thread.taskQueue.run(when: timing) {} }
        try #require(await ThreadActor(thread).answer() == 42)
        thread.stop()
        await thread.join()
      }
    }
  }

  extension ThreadActor {
    fileprivate func answer() -> Int {
      calls += 1
      return 41 + calls
    }
  }

#endif
