import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 5: any stack is enough for a `RunLoopThread` to begin with.
///
/// The system may want whole pages, and more than it was asked for.
@Suite struct StackSizeTests {
  @Test(arguments: [1, 16_384, 100_000, 1 << 20])
  func aThreadStartsAndServesTasksAndJobs(stackSize: Int) async {
    await #expect(processExitsWith: .success) { [stackSize] in
      endInTime()
      let thread = RunLoopThread(name: "a resident", stackSize: stackSize)
      for timing in RunLoopTask.Timing.allCases { try await thread.taskQueue.run(when: timing) {} }
      try #require(await Resident(thread).answer() == 42)
      thread.stop()
      await thread.ended()
    }
  }

  private actor Resident {
    private let thread: RunLoopThread
    private var asked = 0
    init(_ thread: RunLoopThread) { self.thread = thread }
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    func answer() -> Int {
      asked += 1
      return 41 + asked
    }
  }
}
