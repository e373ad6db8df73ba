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

    private let options: TestScope.Options
    private let sourceLocation: SourceLocation
    private let isOver = Atomic(false)
    /// Why the main loop has not run the job.
    fileprivate let failure = Locked("the tasks of that loop were cancelled, as by cancelAll(), or it has ended")

    init(_ options: TestScope.Options, at sourceLocation: SourceLocation) {
      (self.options, self.sourceLocation) = (options, sourceLocation)
    }

    var isUnderWay: Bool { !isOver.load(ordering: .acquiring) }

    func end() { isOver.store(true, ordering: .releasing) }

    // MARK: The job

    func enqueue(_ job: consuming ExecutorJob) { post(Delivery(UnownedJob(job), of: self, within: options.timeLimit)) }

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
        isOnMainThread, "The main run loop has not begun the body of withMainRunLoop: \(failure.withLock { $0 })",
        sourceLocation: sourceLocation)
      return try callHere(body)
    }

    /// For async code, which may not ask the thread itself.
    private var isOnMainThread: Bool { Thread.isMainThread }

    private func callHere<Value: Sendable>(_ body: @MainActor (RunLoop) throws -> Value) throws -> Value {
      let scope = TestScope("withMainRunLoop", at: sourceLocation, options) { _ in }
      defer {
        scope.end()
        end()  // before the main queue begins a `Task` that the body has started
      }
      return try MainActor.assumeIsolated { try body(.main) }
    }
  }

  /// A job that runs exactly once: in a task of the main loop or, if that is cancelled or comes late, somewhere else.
  ///
  /// Only a block and a task keep it, so that a task that others cancel ends it.
  private final class Delivery: Sendable {
    private let job: Locked<UnownedJob?>
    private let turn: MainLoopTurn
    private let limit = Locked<TimeLimit?>(nil)

    init(_ job: UnownedJob, of turn: MainLoopTurn, within timeLimit: Duration) {
      (self.job, self.turn) = (Locked(job), turn)
      let limit = TimeLimit(timeLimit) { [weak self] in
        turn.failure.withLock {
          $0 =
            "something has held up the main thread for \(timeLimit), such as a main-actor test that blocks or runs the loop"
        }
        self?.runElsewhere()
      }
      self.limit.withLock { $0 = limit }
    }

    /// Runs the job in a task of the main loop.
    func run() {
      job.withLock { $0.take() }?
        .runSynchronously(
          isolatedTo: MainActor.sharedUnownedExecutor, taskExecutor: turn.asUnownedTaskExecutor())
    }

    private func runElsewhere() {
      guard let job = job.withLock({ $0.take() }) else { return }
      DispatchQueue.global().async { [turn] in job.runSynchronously(on: turn.asUnownedTaskExecutor()) }
    }

    deinit { runElsewhere() }
  }
#endif
