import Foundation
import Synchronization
import Testing

/// Runs each test of a suite on a new thread. The thread has a run loop of its own, which only the test runs.
///
/// Tests that block need this, too: there are few threads for async code, and other tests wait for them.
struct OnOwnLoop: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let thread = TestThread(for: test)
    try await withTaskExecutorPreference(thread) {
      defer { thread.end() }
      try await function()
    }
  }
}

extension Trait where Self == OnOwnLoop {
  static var onOwnLoop: OnOwnLoop { OnOwnLoop() }
}

/// A thread that runs the code of one test, outside any run of its loop.
private final class TestThread: TaskExecutor {
  /// A few tests run at once. All of them at once would keep each other waiting.
  private static let most = ProcessInfo.processInfo.activeProcessorCount + 2
  private static let line = Box<(running: Int, waiting: [TestThread])>((0, []))

  private let name: String
  private let jobs = Jobs()
  private let isOver = Atomic(false)

  init(for test: Test) {
    name = test.name
    let mayRun = Self.line.withLock { line in
      if line.running == Self.most { line.waiting.append(self) } else { line.running += 1 }
      return line.waiting.isEmpty
    }
    if mayRun { start() }
  }

  private func start() {
    // Nothing else ends a loop that sleeps.
    DispatchQueue.global().asyncAfter(deadline: .now() + watchdog) { [self] in
      guard isOver.load(ordering: .relaxed) else { fatalError("watchdog: timed out in the test \(name)") }
    }
    Thread { [jobs] in
      while let job = jobs.next() { job() }
    }.start()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.add { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Lets the thread end and the next test run. Called on the thread itself, because the threads of async code may all
  /// be busy.
  func end() {
    jobs.add(nil)
    isOver.store(true, ordering: .relaxed)
    let next = Self.line.withLock { line -> TestThread? in
      if line.waiting.isEmpty { line.running -= 1 }
      return line.waiting.isEmpty ? nil : line.waiting.removeFirst()
    }
    next?.start()
  }
}

/// The jobs of a thread; `nil` ends it.
final class Jobs: Sendable {
  private let list = Box<[(@Sendable () -> Void)?]>([])
  private let hasJob = DispatchSemaphore(value: 0)

  func add(_ job: (@Sendable () -> Void)?) {
    list.add([job])
    hasJob.signal()
  }

  func next() -> (@Sendable () -> Void)? {
    hasJob.wait()
    return list.withLock { $0.removeFirst() }
  }
}
