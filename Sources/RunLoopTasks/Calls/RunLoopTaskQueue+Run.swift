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
  /// If the surrounding `Task` is cancelled, ``cancelAll()`` is called or the loop ends before the closure has begun,
  /// the closure never runs and this throws `CancellationError`. If the closure has begun, the call waits for it.
  ///
  /// The caller waits without blocking a thread, until the loop runs in one of the modes. For the main loop, use
  /// `MainActor.run(when:…)`, whose closure is isolated to the main actor.
  ///
  /// - Important: An empty list of modes traps.
  /// - Parameters:
  ///   - timing: the moment of the pass at which the closure runs.
  ///   - delay: how long the closure waits; see ``RunLoopTask/after(_:)``.
  ///   - limit: the time after which the closure is due at any activity, `nil` for no limit; see
  ///     ``RunLoopTask/within(_:)``.
  ///   - order: the order among tasks that are due at the same activity, lower first; see ``RunLoopTask/order(_:)``.
  ///   - modes: the modes in which the closure runs, at least one. `.default` waits while the user scrolls or drags.
  ///   - body: the work, called on the loop's own thread.
  ///   - isolation: the actor that waits. Use the default, so that the call schedules the closure without a hop to
  ///     another thread.
  ///   - fileID: the calling file, which the task's description shows. Use the default.
  ///   - line: the calling line, which the task's description shows. Use the default.
  /// - Returns: the closure's value.
  /// - Throws: the closure's error, or `CancellationError`.
  public func run<Value: Sendable>(
    when timing: RunLoopTask.Timing = .nextLoopBegan, after delay: Duration = .zero, within limit: Duration? = nil,
    order: Int = 0, forModes modes: [RunLoop.Mode] = [.default], _ body: @escaping @Sendable () throws -> Value,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> Value {
    let plan = TaskPlan(
      call: Call("RunLoopTaskQueue.run(when:)", fileID, line), timing: timing, delay: delay, limit: limit, order: order,
      modes: modes, isSendable: true)
    return try await run(plan, body, isolation: isolation)
  }

  func run<Value: Sendable>(
    _ plan: TaskPlan, _ body: @escaping @Sendable () throws -> Value, isolation: isolated (any Actor)?
  ) async throws -> Value {
    plan.check()  // even if the caller's `Task` was cancelled
    let cancellation = Locked<(@Sendable () -> Void)?>(nil)
    return try await withTaskCancellationHandler {
      _ = isolation  // the closure stays on the caller's actor only if it uses `isolation`
      try Task.checkCancellation()
      let isOwn = scheduler.isCurrent
      scheduler.callers.noteWait()
      let result = await withCheckedContinuation { (continuation: ResultContinuation<Value>) in
        let awaiter = Awaiter(continuation, isOwn: isOwn, for: scheduler)
        let task = scheduler.schedule(plan, isAwaited: true) { awaiter.resume(with: Result(catching: body)) }
        // Ends the wait at once. If the loop does not run, its thread may release the closure much later.
        let cancel: @Sendable () -> Void = { [weak awaiter] in
          task.cancel()
          if task.state == .cancelled { awaiter?.cancel() }
        }
        cancellation.withLock { $0 = cancel }
        // `onCancel` may have run before there was a task to cancel.
        if Task.isCancelled { cancel() }
      }
      scheduler.noteGoneOn(isOwn: isOwn, isolation: isolation)
      return try result.get()
    } onCancel: {
      cancellation.withLock { $0 }?()
    }
  }
}

extension Scheduler {
  /// Notes that a caller has gone on: the code that calls this, on its actor.
  ///
  /// While `advance(by:)` waits on another thread, a job of that actor notes it, which comes behind this one. So the
  /// caller is on its way until it has got as far as it can.
  fileprivate func noteGoneOn(isOwn: Bool, isolation: isolated (any Actor)?) {
    guard callers.isAdvancing, isolation != nil, !isCurrent else { return callers.noteGoneOn(isOwn: isOwn) }
    Task {
      _ = isolation
      callers.noteGoneOn(isOwn: isOwn)
    }
  }
}

private typealias ResultContinuation<Value> = CheckedContinuation<Result<Value, any Error>, Never>

/// A caller that waits for a task to run.
///
/// The task's closure owns it. If anything releases the closure without a call, `deinit` ends the wait.
private final class Awaiter<Value: Sendable>: Sendable {
  private let continuation: Locked<ResultContinuation<Value>?>
  /// It waits on the loop's own thread.
  private let isOwn: Bool
  private let scheduler: Scheduler

  init(_ continuation: ResultContinuation<Value>, isOwn: Bool, for scheduler: Scheduler) {
    (self.continuation, self.isOwn, self.scheduler) = (Locked(continuation), isOwn, scheduler)
  }

  /// Ends the wait. A second call has no effect.
  func resume(with result: Result<Value, any Error>) {
    guard let continuation = continuation.withLock({ $0.take() }) else { return }
    scheduler.callers.noteResumed(isOwn: isOwn)
    continuation.resume(returning: result)
  }

  func cancel() { resume(with: .failure(CancellationError())) }

  deinit { cancel() }
}
