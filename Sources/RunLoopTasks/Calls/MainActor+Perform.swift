import Foundation

extension MainActor {
  /// Schedules a main-actor closure on the main run loop, from any thread and from async code.
  ///
  /// ```swift
  /// MainActor.perform(when: .currentLoopEnded) {
  ///   collectionView.reloadData()
  /// }
  /// ```
  ///
  /// A key turns many requests into one, with a delay a debounce, with an interval a throttle:
  ///
  /// ```swift
  /// MainActor.perform(
  ///   after: .milliseconds(300), coalescedBy: OwnerKey(self, "search")
  /// ) {
  ///   self.search(for: title)
  /// }
  /// MainActor.perform(
  ///   coalescedBy: OwnerKey(self, "progress"),
  ///   atMostEvery: .milliseconds(100)
  /// ) {
  ///   self.progressView.value = 0.5
  /// }
  /// ```
  ///
  /// `RunLoopTaskQueue.main.cancelTask(coalescedBy:)` cancels the task with a key, and
  /// `RunLoop.main.runTask(coalescedBy:)` runs it now.
  ///
  /// The modes default to `[.common]`, so the task also runs while the user scrolls or drags, as other main-actor code
  /// does. The modes of `RunLoop.perform`, and of `perform` and `run` of a ``RunLoopTaskQueue``, default to
  /// `[.default]`, whose tasks wait until scrolling ends.
  ///
  /// > Warning: On Linux, a program with an `async` main cancels the task unless it imports `RunLoopMain`:
  /// > <doc:ThreadsAndAsyncCode#On-Linux>. On Apple's platforms, the task stays pending after `dispatchMain()` or
  /// > `xpc_main()`.
  ///
  /// - Important: Pass all options here: one that you chain to the task on another thread traps. An empty list of modes
  ///   and an interval without a key also trap.
  /// - Parameters:
  ///   - timing: the moment of the pass at which the task runs.
  ///   - delay: how long the task waits before it is in line; see ``RunLoopTask/after(_:)``.
  ///   - limit: the time after which the task is due at any activity, `nil` for no limit; see
  ///     ``RunLoopTask/within(_:)``.
  ///   - order: the order among tasks that are due at the same activity, lower first; see ``RunLoopTask/order(_:)``.
  ///   - modes: the modes in which it runs, at least one.
  ///   - key: the key that the task is coalesced by, `nil` for none; see ``RunLoopTask/coalesced(by:atMostEvery:)``.
  ///     Its `==` and `hash(into:)` must not lock, block, schedule or post: the package may compare keys with a lock
  ///     held.
  ///   - interval: the shortest time between the starts of two tasks with the key. It needs a key.
  ///   - closure: the work. As long as the main loop lives, the main thread releases it: one that another thread has
  ///     replaced by its key, when the loop next looks for tasks.
  ///   - fileID: the calling file, which the task's description shows. Use the default.
  ///   - line: the calling line, which the task's description shows. Use the default.
  /// - Returns: the task. It is already cancelled if the loop has ended.
  /// - Complexity: as `RunLoopTaskQueue.perform(when:…)`.
  @discardableResult
  public static nonisolated func perform(
    when timing: RunLoopTask.Timing = .nextLoopBegan, after delay: Duration = .zero, within limit: Duration? = nil,
    order: Int = 0, forModes modes: [RunLoop.Mode] = [.common], coalescedBy key: (any Hashable & Sendable)? = nil,
    atMostEvery interval: Duration = .zero, _ closure: consuming @escaping @MainActor () -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> RunLoopTask {
    let plan = TaskPlan(
      call: Call("MainActor.perform(when:)", fileID, line), timing: timing, delay: delay, limit: limit, order: order,
      modes: modes, key: key.flatMap { TaskKey($0, atMostEvery: interval) }, interval: interval)
    return Scheduler.main.schedule(plan, onMainActor(consume closure))
  }

  // Each function on the way to the task consumes the closure. A caller that kept a reference until the call returns
  // might be the last to release it, on another thread than the main one.
  private static nonisolated func onMainActor(
    _ closure: consuming @escaping @MainActor () -> Void
  ) -> @Sendable () -> Void {
    let closure = consume closure
    return { MainActor.assumeIsolated(closure) }
  }

  /// Runs a main-actor closure at a moment of the main run loop's pass, and waits for its value or its error.
  ///
  /// ```swift
  /// let rows = try await MainActor.run(when: .currentLoopEnded) {
  ///   tableView.numberOfRows(inSection: 0)
  /// }
  /// ```
  ///
  /// `when` has no default, because it distinguishes this method from Swift's own `MainActor.run`, which runs the
  /// closure as soon as possible.
  ///
  /// The call throws `CancellationError` if the surrounding `Task` is cancelled, ``RunLoopTaskQueue/cancelAll()`` is
  /// called or the loop ends before the closure has begun.
  ///
  /// > Warning: On Linux, in a program with an `async` main, this throws `CancellationError` unless the program imports
  /// > `RunLoopMain`: <doc:ThreadsAndAsyncCode#On-Linux>.
  ///
  /// - Important: An empty list of modes traps.
  /// - Parameters:
  ///   - timing: the moment of the pass at which the closure runs.
  ///   - delay: how long the closure waits; see ``RunLoopTask/after(_:)``.
  ///   - limit: the time after which the closure is due at any activity, `nil` for no limit; see
  ///     ``RunLoopTask/within(_:)``.
  ///   - order: the order among tasks that are due at the same activity, lower first; see ``RunLoopTask/order(_:)``.
  ///   - modes: the modes in which it runs, at least one.
  ///   - body: the work.
  ///   - isolation: the actor that waits. Use the default.
  ///   - fileID: the calling file, which the task's description shows. Use the default.
  ///   - line: the calling line, which the task's description shows. Use the default.
  /// - Returns: the closure's value.
  /// - Throws: the closure's error, or `CancellationError`.
  public static func run<Value: Sendable>(
    when timing: RunLoopTask.Timing, after delay: Duration = .zero, within limit: Duration? = nil,
    order: Int = 0, forModes modes: [RunLoop.Mode] = [.common], _ body: @escaping @MainActor () throws -> Value,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> Value {
    let plan = TaskPlan(
      call: Call("MainActor.run(when:)", fileID, line), timing: timing, delay: delay, limit: limit, order: order,
      modes: modes)
    return try await RunLoopTaskQueue.main.run(
      plan, { try MainActor.assumeIsolated(body) }, isolation: isolation)
  }
}
