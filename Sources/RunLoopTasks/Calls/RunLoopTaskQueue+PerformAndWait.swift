import Foundation

extension RunLoopTaskQueue {
  /// Runs a closure on the loop and blocks the calling thread until it has run.
  ///
  /// It is for a thread without async code, where it does what `performSelector(onMainThread:with:waitUntilDone:)` does.
  /// In async code use ``run(when:after:within:order:forModes:_:isolation:fileID:line:)``, whose default mode waits while
  /// the user scrolls:
  ///
  /// <!-- prints: 3 rows -->
  /// ```swift
  /// let queue = RunLoop.current.taskQueue
  /// Thread.detachNewThread {
  ///   let rows = try? queue.performAndWait { [1, 2, 3] }  // on the loop
  ///   print(rows?.count ?? 0, "rows")
  /// }
  /// ```
  ///
  /// The closure runs once, or the call throws. There is no timeout. The modes default to `[.common]`, since a thread
  /// waits. On the loop's own thread, the closure runs at once, in place.
  ///
  /// - Important: Two threads that wait for each other this way wait forever, and so does a thread that holds a lock
  ///   which the loop's thread needs: <doc:ThreadsAndAsyncCode#Wait-on-a-thread>. After five seconds, a line on
  ///   standard error says so, once a process. An empty list of modes traps.
  /// - Parameters:
  ///   - timing: the moment of the pass at which the closure runs.
  ///   - limit: the time after which the closure is due at any activity, `nil` for no limit; see
  ///     ``RunLoopTask/within(_:)``. It doesn't end the wait.
  ///   - modes: the modes in which the closure runs, at least one.
  ///   - body: the work, called on the loop's own thread.
  ///   - fileID: the calling file, which the task's description shows. Use the default.
  ///   - line: the calling line, which the task's description shows. Use the default.
  /// - Returns: the closure's value.
  /// - Throws: the closure's error. `CancellationError` if the loop has ended or ends before the closure begins, if its
  ///   ``RunLoopThread`` is stopping and takes nothing more from other threads, or if ``cancelAll()`` is called.
  @available(*, noasync, message: "Use `try await queue.run { … }` in an async function or closure")
  public func performAndWait<Value: Sendable>(
    when timing: RunLoopTask.Timing = .nextLoopBegan, within limit: Duration? = nil,
    forModes modes: [RunLoop.Mode] = [.common], _ body: @escaping @Sendable () throws -> Value,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> Value {
    let plan = TaskPlan(
      call: Call("RunLoopTaskQueue.performAndWait", fileID, line), timing: timing, limit: limit, modes: modes,
      isSendable: true)
    plan.check()
    if scheduler.isCurrent { return try body() }
    let (result, isOver) = (Locked(Result<Value, any Error>.failure(CancellationError())), DispatchSemaphore(value: 0))
    let task = schedule(plan, EndOfWait(isOver)) {
      let value = Result(catching: body)
      result.withLock { $0 = value }
    }
    // In steps, because a process that stands still takes none.
    if !(1...5).contains(where: { _ in isOver.wait(timeout: .now() + 1) == .success }) {
      if task.isStillPending {
        waitInVain.write(
          """
          performAndWait at \(task.origin) has waited for 5 seconds, and its loop has not begun the closure; a task there may \
          take that long, but if the loop's thread waits for this one, as by performAndWait, join or a lock, both wait \
          forever: use perform, or run the loop meanwhile
          """)
      }
      isOver.wait()
    }
    return try result.withLock { $0 }.get()
  }

  /// A function of its own, so that at its end only the task's closure refers to `end`.
  @inline(never)
  private func schedule(_ plan: TaskPlan, _ end: EndOfWait, _ body: @escaping @Sendable () -> Void) -> RunLoopTask {
    scheduler.schedule(plan) { withExtendedLifetime(end, body) }
  }
}

private let waitInVain = Notice()

/// Ends the wait of a thread when the task for which it waits releases its closure: once it has run, or was cancelled.
private final class EndOfWait: Sendable {
  private let isOver: DispatchSemaphore

  init(_ isOver: DispatchSemaphore) { self.isOver = isOver }

  deinit { isOver.signal() }
}
