import Foundation

extension RunLoop {
  // Disfavored, because Foundation has a method of this name: without the attribute every existing `perform { }` would be
  // ambiguous. With it, only a call that needs the result gets here.

  /// Schedules a closure on the loop of the current thread, and returns the task to chain more to it.
  ///
  /// The closure runs once, by default at the beginning of the next pass (``RunLoopTask/Timing/nextLoopBegan``) and in the
  /// default mode. That mode waits while the user scrolls or drags; add `.forModes(.common)` to run then as well.
  ///
  /// ```swift
  /// RunLoop.current.perform { collectionView.reloadData() }
  ///   .when(.currentLoopEnded)
  /// ```
  ///
  /// The closure is not `@Sendable`: in a class of the main actor it may use that class.
  ///
  /// A call without a chain is still Foundation's own `RunLoop.perform(_:)`. Its closure is `@Sendable`, so in a `@MainActor` class
  /// `perform { self.n += 1 }` does not compile: "main actor-isolated property 'n' can not be mutated from a Sendable closure". Chain a
  /// timing, or use ``perform(when:after:within:order:forModes:coalescedBy:atMostEvery:_:fileID:line:)``.
  ///
  /// > Warning: On Linux, a program with an `async` main never runs the main run loop: <doc:FromThreadsAndAsyncCode#On-Linux>.
  ///
  /// - Important: Call it on the loop's own thread; anywhere else it stops the program. From other threads and from async
  ///   code use `MainActor.perform(when: .currentLoopEnded) { … }` for the main loop, and the ``taskQueue`` of any other:
  ///   <doc:FromThreadsAndAsyncCode>.
  /// - Parameters:
  ///   - closure: the work. It is released as soon as it has run or the task is cancelled.
  ///   - fileID: the file to name in the task's description; leave it out.
  ///   - line: the line to name in the task's description; leave it out.
  /// - Returns: the task. On a loop whose thread is ending it is cancelled already.
  /// - Complexity: O(1).
  @_disfavoredOverload
  @discardableResult
  public func perform(
    _ closure: @escaping () -> Void, fileID: StaticString = #fileID, line: UInt = #line
  ) -> RunLoopTask {
    Scheduler.withCurrent { scheduler in
      requireOwnThread(scheduler, "RunLoop.perform(_:)", fileID, line)
      return scheduler.perform(closure, fileID: fileID, line: line)
    }
  }

  /// Schedules a closure on the loop of the current thread, with every option in one call.
  ///
  /// ```swift
  /// RunLoop.current.perform(
  ///   when: .idle, within: .seconds(1), forModes: [.common]
  /// ) {
  ///   cache.trim()
  /// }
  /// ```
  ///
  /// The closure is not `@Sendable`, and neither is the key: in a class of the main actor it may use that class.
  ///
  /// The modes default to `[.default]`, which waits while the user scrolls or drags. Pass `[.common]` to run then as well.
  ///
  /// > Warning: On Linux, a program with an `async` main never runs the main run loop: <doc:FromThreadsAndAsyncCode#On-Linux>.
  ///
  /// - Important: Call it on the loop's own thread; anywhere else it stops the program, as do a list without a mode and a limit of zero
  ///   or less.
  /// - Parameters:
  ///   - timing: the moment of the pass at which the task runs.
  ///   - delay: how long the task waits before it is due; see ``RunLoopTask/after(_:)``.
  ///   - limit: after which time it is due at any activity, `nil` for never; see ``RunLoopTask/within(_:)``.
  ///   - order: its place among the tasks that are due at the same activity: lower orders run first; see ``RunLoopTask/order(_:)``.
  ///   - modes: the modes in which it runs, at least one.
  ///   - key: what tasks have in common that may replace each other; see ``RunLoopTask/coalesced(by:atMostEvery:)``.
  ///   - interval: the shortest time between the beginnings of two tasks with the key. Without a key it means nothing.
  ///   - closure: the work. It is released as soon as it has run or the task is cancelled.
  ///   - fileID: the file to name in the task's description; leave it out.
  ///   - line: the line to name in the task's description; leave it out.
  /// - Returns: the task. On a loop whose thread is ending it is cancelled already.
  /// - Complexity: O(1); O(log *n*) with a delay, a limit or an order.
  @discardableResult
  public func perform(
    when timing: RunLoopTask.Timing, after delay: Duration = .zero, within limit: Duration? = nil, order: Int = 0,
    forModes modes: [RunLoop.Mode] = [.default], coalescedBy key: (any Hashable)? = nil,
    atMostEvery interval: Duration = .zero, _ closure: @escaping () -> Void, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> RunLoopTask {
    let key = key.map { TaskKey(onOwnThread: $0, atMostEvery: interval) }
    let plan = TaskPlan(timing: timing, delay: delay, limit: limit, order: order, modes: modes, key: key)
    check(plan, in: "RunLoop.perform(when:)", fileID: fileID, line: line)
    return Scheduler.withCurrent { scheduler in
      requireOwnThread(scheduler, "RunLoop.perform(when:)", fileID, line)
      return scheduler.perform(plan, fileID: fileID, line: line, closure)
    }
  }

  @inline(__always)
  private func requireOwnThread(
    _ scheduler: Scheduler, _ function: StaticString, _ fileID: StaticString, _ line: UInt
  ) {
    guard !scheduler.serves(self) else { return }
    if self === RunLoop.main, isMainActorElsewhere {
      fatalError("\(function) \(asyncMainCause)", file: fileID, line: line)
    }
    fatalError(
      """
      \(function) must be called on the loop's own thread, because its closure is not @Sendable; from another \
      thread use MainActor.perform(when: .currentLoopEnded) { … } for the main loop, or the RunLoopTaskQueue of another
      """, file: fileID, line: line)
  }
}

/// Why the main actor is not on the main loop's thread.
let asyncMainCause = """
  was called on the main actor, which is not on the main loop's thread: on Linux an async main gives its thread to Dispatch, and \
  the main run loop never runs; use a main that is not async, or a RunLoopThread
  """
