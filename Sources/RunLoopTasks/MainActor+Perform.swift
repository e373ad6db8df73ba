import Foundation

extension MainActor {
  /// Schedules a closure of the main actor on the main run loop, from any thread and from async code.
  ///
  /// ```swift
  /// MainActor.perform(when: .currentLoopEnded) {
  ///   collectionView.reloadData()
  /// }
  /// ```
  ///
  /// The modes default to `[.common]`, because everything on the main actor runs while the user scrolls or drags. The modes of
  /// `RunLoop.perform` and of a ``RunLoopTaskQueue`` default to `[.default]`, which waits until scrolling ends.
  ///
  /// > Warning: On Linux, a program with an `async` main never runs the main run loop and cancels the task:
  /// > <doc:FromThreadsAndAsyncCode#On-Linux>. On Apple's platforms, the task stays pending after `dispatchMain()` or `xpc_main()`.
  ///
  /// - Important: No mode at all stops the program, and so does a limit of zero or less.
  /// - Parameters:
  ///   - timing: the moment of the pass at which the task runs.
  ///   - delay: how long the task waits before it is due; see ``RunLoopTask/after(_:)``.
  ///   - limit: after which time it is due at any activity, `nil` for never; see ``RunLoopTask/within(_:)``.
  ///   - order: its place among the tasks that are due at the same activity: lower orders run first; see ``RunLoopTask/order(_:)``.
  ///   - modes: the modes in which it runs, at least one.
  ///   - key: what tasks have in common that may replace each other; see ``RunLoopTask/coalesced(by:atMostEvery:)``.
  ///   - interval: the shortest time between the beginnings of two tasks with the key. Without a key it means nothing.
  ///   - closure: the work. What it has captured is released on the main thread.
  ///   - fileID: the file to name in the task's description; leave it out.
  ///   - line: the line to name in the task's description; leave it out.
  /// - Returns: the task.
  /// - Complexity: as `RunLoopTaskQueue.perform(when:…)`.
  @discardableResult
  public static nonisolated func perform(
    when timing: RunLoopTask.Timing = .nextLoopBegan, after delay: Duration = .zero, within limit: Duration? = nil,
    order: Int = 0, forModes modes: [RunLoop.Mode] = [.common], coalescedBy key: (any Hashable & Sendable)? = nil,
    atMostEvery interval: Duration = .zero, _ closure: @escaping @MainActor () -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> RunLoopTask {
    let key = key.map { TaskKey($0, atMostEvery: interval) }
    let plan = TaskPlan(timing: timing, delay: delay, limit: limit, order: order, modes: modes, key: key)
    check(plan, in: "MainActor.perform(when:)", fileID: fileID, line: line)
    return RunLoopTaskQueue.main.schedule(plan, isSendable: false, fileID: fileID, line: line) {
      MainActor.assumeIsolated(closure)
    }
  }

  /// Runs a closure of the main actor at a moment of the main run loop's pass, and waits for its value or its error.
  ///
  /// ```swift
  /// let height = try await MainActor.run(when: .currentLoopEnded) {
  ///   tableView.contentSize.height
  /// }
  /// ```
  ///
  /// `when` has no default: it tells this method from Swift's own `MainActor.run`, which runs the closure as soon as possible.
  ///
  /// Cancelling the surrounding `Task` before the closure has begun, or the end of the loop, throws `CancellationError`.
  ///
  /// > Warning: On Linux, a program with an `async` main never runs the main run loop, and this throws `CancellationError`:
  /// > <doc:FromThreadsAndAsyncCode#On-Linux>.
  ///
  /// - Important: No mode at all stops the program, and so does a limit of zero or less.
  /// - Parameters:
  ///   - timing: the moment of the pass at which the closure runs.
  ///   - delay: how long the closure waits; see ``RunLoopTask/after(_:)``.
  ///   - limit: after which time it is due at any activity, `nil` for never; see ``RunLoopTask/within(_:)``.
  ///   - modes: the modes in which it runs, at least one.
  ///   - body: the work.
  ///   - isolation: the actor that waits; leave it out.
  ///   - fileID: the file to name in the task's description; leave it out.
  ///   - line: the line to name in the task's description; leave it out.
  /// - Returns: the value of the closure.
  /// - Throws: what the closure throws, or `CancellationError`.
  public static func run<Value: Sendable>(
    when timing: RunLoopTask.Timing, after delay: Duration = .zero, within limit: Duration? = nil,
    forModes modes: [RunLoop.Mode] = [.common], _ body: @escaping @MainActor () throws -> Value,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> Value {
    let plan = TaskPlan(timing: timing, delay: delay, limit: limit, modes: modes)
    check(plan, in: "MainActor.run(when:)", fileID: fileID, line: line)
    return try await RunLoopTaskQueue.main.run(
      plan, isSendable: false, { try MainActor.assumeIsolated(body) }, isolation: isolation, fileID: fileID, line: line)
  }
}
