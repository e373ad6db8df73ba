#if canImport(Testing)
  import Foundation
  import RunLoopTasks
  import Synchronization
  import Testing

  /// The turn of one `withMainRunLoop`, as an executor whose jobs are tasks of the main loop.
  ///
  /// A closure that such a task calls directly would belong to no test. A job of the test's own `Task` belongs to that
  /// test.
  final class MainLoopTurn: TaskExecutor {
    /// The turn in which the calling code runs, or that has started the calling `Task`.
    @TaskLocal static var current: MainLoopTurn?

    private let timeLimit: Duration
    private let sourceLocation: SourceLocation
    private let isOver = Atomic(false)
    /// Why the main loop has not run the job.
    private let failure = Locked("its tasks were cancelled, or it has ended")

    init(timeLimit: Duration, _ sourceLocation: SourceLocation) {
      (self.timeLimit, self.sourceLocation) = (timeLimit, sourceLocation)
    }

    var isUnderWay: Bool { !isOver.load(ordering: .acquiring) }

    func end() { isOver.store(true, ordering: .releasing) }

    // MARK: The job

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let delivery = Delivery { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
      // Only a block and a task keep the delivery, so that a task that others cancel ends it.
      delivery.limit(to: timeLimit) { [weak delivery] in
        self.failure.withLock { $0 = "it has not begun it within \(self.timeLimit)" }
        delivery?.runElsewhere()
      }
      post(delivery)
    }

    /// Posts a job as a task of the main loop, from a block of the main queue.
    ///
    /// A test of the main actor is such a block. If it runs the loop, that run does not serve the main queue, and the
    /// job must not run there. So a task that finds itself in another run than the one that has served the block waits
    /// for the main queue again.
    private func post(_ delivery: Delivery) {
      DispatchQueue.main.async {
        let queue = RunLoopTaskQueue.main
        let depth = queue.depthOfRuns
        queue.perform(forModes: [.common]) {
          if queue.depthOfRuns > depth { self.post(delivery) } else { delivery.run() }
        }
      }
    }

    /// Calls the body of the turn, on the main thread.
    @concurrent func call<Value: Sendable>(_ body: @escaping @MainActor (RunLoop) throws -> Value) async throws -> Value
    {
      let isOnMainThread = self.isOnMainThread
      try #require(
        isOnMainThread, "The main run loop has not run the body of withMainRunLoop: \(failure.withLock { $0 })",
        sourceLocation: sourceLocation)
      return try callHere(body)
    }

    /// For async code, which may not ask the thread itself.
    private var isOnMainThread: Bool { Thread.isMainThread }

    private func callHere<Value: Sendable>(_ body: @MainActor (RunLoop) throws -> Value) throws -> Value {
      let earlier = RunLoopTaskQueue.main.ownTasks
      let limit = TimeLimit(timeLimit) {
        Hang(of: .main).describe(outsideRuns: { _ in }, insideRuns: {}) { description in
          fatalError(
            "withMainRunLoop at \(place(self.sourceLocation)) has not ended within \(self.timeLimit): \(description)")
        }
      }
      defer {
        limit.cancel()
        cancelLeftovers(except: earlier, at: sourceLocation)
        end()  // before the main queue begins a `Task` that the body has started
      }
      return try MainActor.assumeIsolated { try body(.main) }
    }
  }

  /// As in the messages of the other calls that stop the program.
  func place(_ sourceLocation: SourceLocation) -> String { "\(sourceLocation.fileID):\(sourceLocation.line)" }

  /// A job that runs exactly once: in a task of the main loop or, if that is cancelled, somewhere else.
  private final class Delivery: Sendable {
    private let job: Locked<(@Sendable () -> Void)?>
    private let limit = Locked<TimeLimit?>(nil)

    init(_ job: @escaping @Sendable () -> Void) { self.job = Locked(job) }

    func limit(to timeLimit: Duration, _ body: @escaping @Sendable () -> Void) {
      let limit = TimeLimit(timeLimit, body)
      self.limit.withLock { $0 = limit }
      if job.withLock({ $0 == nil }) { cancelLimit() }  // it has run meanwhile
    }

    private func cancelLimit() { limit.withLock { $0.take() }?.cancel() }

    func run() {
      cancelLimit()
      job.withLock { $0.take() }?()
    }

    func runElsewhere() {
      if let job = job.withLock({ $0.take() }) { DispatchQueue.global().async(execute: job) }
    }

    deinit { runElsewhere() }
  }
#endif
