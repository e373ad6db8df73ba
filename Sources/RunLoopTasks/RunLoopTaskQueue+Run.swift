import Foundation

extension RunLoopTaskQueue {
  /// Runs a closure on the loop and waits for its value, or for the error that it throws.
  ///
  /// ```swift
  /// let height = try await RunLoopTaskQueue.main.run(when: .currentLoopEnded) {
  ///   MainActor.assumeIsolated { tableView.contentSize.height }
  /// }
  /// ```
  ///
  /// If the surrounding `Task` is cancelled, ``cancelAll()`` is called or the loop ends before the closure has begun, the
  /// closure never runs and this throws `CancellationError`. A closure that has begun is waited for.
  ///
  /// The caller waits without blocking a thread. But if the loop is not being run in one of the modes, it waits.
  ///
  /// - Important: No mode at all stops the program: such a task could never run.
  /// - Parameters:
  ///   - timing: the moment of the pass at which the closure runs.
  ///   - modes: the modes in which it runs, at least one. `.default` waits while the user scrolls or drags.
  ///   - body: the work, called on the loop's own thread.
  ///   - isolation: the actor that waits; leave it out. The closure is scheduled there, without a hop to another thread.
  ///   - fileID: the file to name in the task's description; leave it out.
  ///   - line: the line to name in the task's description; leave it out.
  /// - Returns: the value of the closure.
  /// - Throws: what the closure throws, or `CancellationError`.
  public func run<Value: Sendable>(
    when timing: RunLoopTask.Timing = .nextLoopBegan, forModes modes: [RunLoop.Mode] = [.default],
    _ body: @escaping @Sendable () throws -> Value, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> Value {
    requireModes(modes, in: "RunLoopTaskQueue.run(when:forModes:_:)", fileID: fileID, line: line)
    let pending = Locked<PendingRun<Value>?>(nil)
    return try await withTaskCancellationHandler {
      _ = isolation  // a closure stays on the caller's actor only if it mentions it
      try Task.checkCancellation()
      return try await withCheckedThrowingContinuation { continuation in
        let awaiter = Awaiter(continuation)
        let task = scheduler.perform(
          { awaiter.resume(with: Result(catching: body)) }, when: timing, forModes: modes, fileID: fileID, line: line)
        let run = PendingRun(task: task, awaiter: awaiter)
        pending.withLock { $0 = run }
        // The handler may have been called just before there was anything to cancel.
        if Task.isCancelled { run.cancel() }
      }
    } onCancel: {
      pending.withLock { $0 }?.cancel()
    }
  }
}

/// One who waits for a task to run.
///
/// The task's closure owns it. If that is let go of without having been called, for whatever reason, the wait is over too.
private final class Awaiter<Value: Sendable>: Sendable {
  private let continuation: Locked<CheckedContinuation<Value, any Error>?>

  init(_ continuation: CheckedContinuation<Value, any Error>) { self.continuation = Locked(continuation) }

  /// Ends the wait, the first time.
  func resume(with result: Result<Value, any Error>) {
    let waiting = continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
    waiting?.resume(with: result)
  }

  deinit { resume(with: .failure(CancellationError())) }
}

/// What it takes to give up a wait, without keeping it from its natural end.
private struct PendingRun<Value: Sendable>: Sendable {
  let task: RunLoopTask
  weak var awaiter: Awaiter<Value>?

  /// Does not wait until the loop's thread lets go of the closure: that may be a long time, if the loop is not being run.
  func cancel() {
    task.cancel()
    if task.state == .cancelled { awaiter?.resume(with: .failure(CancellationError())) }
  }
}
