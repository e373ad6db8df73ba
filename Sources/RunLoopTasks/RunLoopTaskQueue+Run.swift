import Foundation

extension RunLoopTaskQueue {
  /// Runs a closure on the loop and waits for its value, or for the error that it throws.
  ///
  /// ```swift
  /// let entries = try await workerQueue.run(when: .currentLoopEnded) {
  ///   try parse(data)
  /// }
  /// ```
  ///
  /// If the surrounding `Task` is cancelled, ``cancelAll()`` is called or the loop ends before the closure has begun, the
  /// closure never runs and this throws `CancellationError`. A closure that has begun is waited for.
  ///
  /// The caller waits without blocking a thread. But if the loop is not being run in one of the modes, it waits. For the main loop
  /// `MainActor.run(when:…)` gives the closure the main actor.
  ///
  /// - Important: No mode at all stops the program, and so does a limit of zero or less.
  /// - Parameters:
  ///   - timing: the moment of the pass at which the closure runs.
  ///   - delay: how long the closure waits; see ``RunLoopTask/after(_:)``.
  ///   - limit: after which time it is due at any activity, `nil` for never; see ``RunLoopTask/within(_:)``.
  ///   - modes: the modes in which the closure runs, at least one. `.default` waits while the user scrolls or drags.
  ///   - body: the work, called on the loop's own thread.
  ///   - isolation: the actor that waits; leave it out. The closure is scheduled there, without a hop to another thread.
  ///   - fileID: the file to name in the task's description; leave it out.
  ///   - line: the line to name in the task's description; leave it out.
  /// - Returns: the value of the closure.
  /// - Throws: what the closure throws, or `CancellationError`.
  public func run<Value: Sendable>(
    when timing: RunLoopTask.Timing = .nextLoopBegan, after delay: Duration = .zero, within limit: Duration? = nil,
    forModes modes: [RunLoop.Mode] = [.default], _ body: @escaping @Sendable () throws -> Value,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> Value {
    let plan = TaskPlan(timing: timing, delay: delay, limit: limit, modes: modes)
    check(plan, in: "RunLoopTaskQueue.run(when:)", fileID: fileID, line: line)
    return try await run(plan, isSendable: true, body, isolation: isolation, fileID: fileID, line: line)
  }

  /// - Parameter isSendable: whether the closure may be released on any thread.
  func run<Value: Sendable>(
    _ plan: TaskPlan, isSendable: Bool, _ body: @escaping @Sendable () throws -> Value,
    isolation: isolated (any Actor)?, fileID: StaticString, line: UInt
  ) async throws -> Value {
    let pending = Locked<PendingRun<Value>?>(nil)
    return try await withTaskCancellationHandler {
      _ = isolation  // a closure stays on the caller's actor only if it mentions it
      try Task.checkCancellation()
      return try await withCheckedThrowingContinuation { continuation in
        let awaiter = Awaiter(continuation)
        let task = schedule(plan, isSendable: isSendable, fileID: fileID, line: line) {
          awaiter.resume(with: Result(catching: body))
        }
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

/// A caller that waits for a task to run.
///
/// The task's closure owns it. If the closure is released without having been called, for whatever reason, the wait is over too.
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

/// A task and its waiting caller, which this does not keep.
private struct PendingRun<Value: Sendable>: Sendable {
  let task: RunLoopTask
  weak var awaiter: Awaiter<Value>?

  /// Ends the wait at once. If the loop is not run, its thread may release the closure much later.
  func cancel() {
    task.cancel()
    if task.state == .cancelled { awaiter?.resume(with: .failure(CancellationError())) }
  }
}
