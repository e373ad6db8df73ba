import Foundation
import Synchronization
import Testing

/// Runs each test of a suite on a new thread. The thread has a run loop of its own, which only the test runs.
///
///     @Suite(.onOwnLoop) struct SaveTests {
///       let log = Log()
///
///       @Test func aTaskRunsInAPass() {
///         RunLoop.current.perform { log("saved") }.when(.idle)
///         RunLoop.current.runPass()
///         #expect(log.events == ["saved"])
///       }
///     }
struct OnOwnLoop: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let thread = TestThread(for: test)
    defer { thread.end() }
    try await withTaskExecutorPreference(thread) { try await function() }
  }
}

extension Trait where Self == OnOwnLoop {
  static var onOwnLoop: OnOwnLoop { OnOwnLoop() }
}

/// A thread that runs the code of one test, outside any run of its loop.
private final class TestThread: TaskExecutor {
  private let jobs = Jobs()
  private let isOver = Atomic(false)

  init(for test: Test) {
    // Nothing else ends a loop that sleeps.
    DispatchQueue.global().asyncAfter(deadline: .now() + watchdog) { [self] in
      guard isOver.load(ordering: .relaxed) else { fatalError("watchdog: timed out in the test \(test.name)") }
    }
    Thread { [jobs] in
      while let job = jobs.next() { job() }
    }.start()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.add { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  func end() {
    isOver.store(true, ordering: .relaxed)
    jobs.add(nil)
  }
}

/// The jobs of a thread; `nil` ends it.
final class Jobs: Sendable {
  private let list = Mutex<[(@Sendable () -> Void)?]>([])
  private let hasJob = DispatchSemaphore(value: 0)

  func add(_ job: (@Sendable () -> Void)?) {
    list.withLock { $0.append(job) }
    hasJob.signal()
  }

  func next() -> (@Sendable () -> Void)? {
    hasJob.wait()
    return list.withLock { $0.removeFirst() }
  }
}
