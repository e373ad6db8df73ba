import Foundation

extension RunLoop {
  // Both methods are disfavored, because Foundation has a method of this name. Without the attribute, every existing
  // `perform { }` would be ambiguous or change its meaning. With it, the compiler chooses these methods only for a call
  // that uses the result or names an option, and for a chain the first, which has fewer defaults.

  /// Schedules a closure on the current thread's loop and returns a task, to which you chain options.
  ///
  /// The closure runs once, by default at the beginning of the next pass (``RunLoopTask/Timing/nextLoopBegan``) and in
  /// the default mode, which waits while the user scrolls or drags. Add `.forModes(.common)` to run it during
  /// scrolling.
  ///
  /// ```swift
  /// RunLoop.current.perform { collectionView.reloadData() }
  ///   .when(.currentLoopEnded)
  ///   .forModes(.common)
  /// ```
  ///
  /// The closure doesn't have to be `@Sendable`, so in a `@MainActor` class it may use the class's members.
  ///
  /// A call with nothing chained to it is Foundation's own `RunLoop.perform(_:)`. Chain a timing, or use
  /// ``perform(when:after:within:order:forModes:coalescedBy:atMostEvery:_:isolation:fileID:line:)``. If a chain
  /// doesn't compile, look at <doc:Troubleshooting#Code-doesnt-compile>.
  ///
  /// > Warning: On Linux, a program with an `async` main runs the main run loop only with `RunLoopMain`:
  /// > <doc:ThreadsAndAsyncCode#On-Linux>.
  ///
  /// - Important: Call it on the loop's own thread; anywhere else it traps. In async code, which may run on any thread,
  ///   the chained call doesn't compile (in Swift 5 mode, that is a warning). From other threads and from async code, use
  ///   `MainActor.perform(when: .currentLoopEnded) { … }` for the main loop and the ``taskQueue`` of any other:
  ///   <doc:ThreadsAndAsyncCode>.
  ///   In a method of an actor it traps, too, unless the actor is the main one or has an executor of its own: the
  ///   closure would run outside the actor.
  /// - Parameters:
  ///   - closure: the work. The loop releases it as soon as it has run or the task is cancelled.
  ///   - isolation: the actor that the closure belongs to. Use the default.
  ///   - fileID: the calling file, which the task's description shows. Use the default.
  ///   - line: the calling line, which the task's description shows. Use the default.
  /// - Returns: the task. It is already cancelled if the loop has ended.
  /// - Complexity: O(1).
  @_disfavoredOverload
  @discardableResult
  @available(*, noasync, message: "Use `MainActor.perform(when:)`, a `taskQueue`, or a method that isn't async")
  public func perform(
    _ closure: @escaping () -> Void, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> RunLoopTask {
    if let isolation { Call("RunLoop.perform(_:)", fileID, line).check(isolation) }
    return Scheduler.withCurrent { scheduler in
      if !scheduler.belongs(to: self) {
        Call("RunLoop.perform(_:)", fileID, line).stopElsewhere(Call.performElsewhere)
      }
      return scheduler.perform(closure, fileID: fileID, line: line)
    }
  }

  /// Schedules a closure on the current thread's loop, with every option in one call.
  ///
  /// ```swift
  /// RunLoop.current.perform(
  ///   when: .idle, within: .seconds(1), forModes: [.common]
  /// ) {
  ///   cache.trim()
  /// }
  /// ```
  ///
  /// Neither the closure nor the key has to be `Sendable`, so in a `@MainActor` class the closure may use the class's
  /// members.
  ///
  /// The modes default to `[.default]`, whose tasks wait while the user scrolls or drags. Pass `[.common]` to run the
  /// task during scrolling.
  ///
  /// > Warning: On Linux, a program with an `async` main runs the main run loop only with `RunLoopMain`:
  /// > <doc:ThreadsAndAsyncCode#On-Linux>.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. In async code, which may run on any
  ///   thread, it doesn't compile (in Swift 5 mode, that is a warning). An empty list of modes also traps, and so does an interval without a key.
  ///   In a method of an actor it traps, too, unless the actor is the main one or has an executor of its own.
  /// - Parameters:
  ///   - timing: the moment of the pass at which the task runs.
  ///   - delay: how long the task waits before it is in line; see ``RunLoopTask/after(_:)``.
  ///   - limit: the time after which the task is due at any activity, `nil` for no limit; see
  ///     ``RunLoopTask/within(_:)``.
  ///   - order: the order among tasks that are due at the same activity, lower first; see ``RunLoopTask/order(_:)``.
  ///   - modes: the modes in which it runs, at least one.
  ///   - key: the key that the task is coalesced by, `nil` for none; see ``RunLoopTask/coalesced(by:atMostEvery:)``.
  ///     Its `==` and `hash(into:)` must not lock, block, schedule or post.
  ///   - interval: the shortest time between the starts of two tasks with the key. It needs a key.
  ///   - closure: the work. The loop releases it as soon as it has run or the task is cancelled.
  ///   - isolation: the actor that the closure belongs to. Use the default.
  ///   - fileID: the calling file, which the task's description shows. Use the default.
  ///   - line: the calling line, which the task's description shows. Use the default.
  /// - Returns: the task. It is already cancelled if the loop has ended.
  /// - Complexity: O(1); O(log *n*) with a delay or a limit, and up to O(*n*) with an order or several modes.
  @_disfavoredOverload
  @discardableResult
  @inlinable  // so that the array of a single mode stays on the stack, and a key is not copied
  @available(*, noasync, message: "Use `MainActor.perform(when:)`, a `taskQueue`, or a method that isn't async")
  public func perform(
    when timing: RunLoopTask.Timing = .nextLoopBegan, after delay: Duration = .zero, within limit: Duration? = nil,
    order: Int = 0, forModes modes: [RunLoop.Mode] = [.default], coalescedBy key: consuming (any Hashable)? = nil,
    atMostEvery interval: Duration = .zero, _ closure: @escaping () -> Void,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
  ) -> RunLoopTask {
    let (mode, others) = modes.count == 1 ? (modes[0], []) : (nil, modes.map(\.self))
    return perform(when: timing, delay, limit, order, mode, others, key, interval, isolation, fileID, line, closure)
  }

  /// - Parameters:
  ///   - mode: the mode, if there is a single one.
  ///   - modes: the modes otherwise.
  @usableFromInline
  func perform(
    when timing: RunLoopTask.Timing, _ delay: Duration, _ limit: Duration?, _ order: Int, _ mode: RunLoop.Mode?,
    _ modes: [RunLoop.Mode], _ key: consuming (any Hashable)?, _ interval: Duration, _ isolation: (any Actor)?,
    _ fileID: StaticString, _ line: UInt, _ closure: @escaping () -> Void
  ) -> RunLoopTask {
    let key = key.flatMap { TaskKey($0, atMostEvery: interval) }
    return Scheduler.withCurrent { scheduler in
      let call = Call("RunLoop.perform(when:)", fileID, line)
      if let isolation { call.check(isolation) }
      if !scheduler.belongs(to: self) { call.stopElsewhere(Call.performElsewhere) }
      // Attoseconds, because those are inlined. The key has its interval.
      if let mode, delay.attoseconds == 0, limit == nil, order == 0, key != nil || interval.attoseconds == 0 {
        return scheduler.perform(closure, timing, in: mode, key: key, fileID: fileID, line: line)
      }
      let plan = TaskPlan(
        call: call, timing: timing, delay: delay, limit: limit, order: order, modes: mode.map { [$0] } ?? modes,
        key: key, interval: interval)
      return scheduler.schedule(plan, closure)
    }
  }

  /// Runs the loop's pending task with a key now, ahead of its turn, if there is one.
  ///
  /// Use it where you haven't kept the task for ``RunLoopTask/runNow(fileID:line:)``, for example to save before a
  /// window closes:
  ///
  /// <!-- run: view.documentDidChange() -->
  /// <!-- run: view.windowWillClose() -->
  /// <!-- prints: saved -->
  /// ```swift
  /// func documentDidChange() {
  ///   RunLoop.main.perform { print("saved") }
  ///     .when(.idle)
  ///     .after(.seconds(2))
  ///     .coalesced(by: OwnerKey(self, "save"))
  /// }
  ///
  /// func windowWillClose() {
  ///   RunLoop.main.runTask(coalescedBy: OwnerKey(self, "save"))
  /// }
  /// ```
  ///
  /// Before the program quits, ``runAllTasks(fileID:line:)`` runs the pending tasks of all keys.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. Async code may be on any thread, so let a
  ///   task of the loop make the call there.
  /// - Parameters:
  ///   - key: the key that the task is coalesced by. Its `==` and `hash(into:)` must not lock, block, schedule or post.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: `true` if a task with the key was pending and has run; `false` if there was none. Inside the task with
  ///   that key there is none, unless it was scheduled again.
  /// - Complexity: As ``RunLoopTask/cancel()``.
  @discardableResult
  public func runTask(coalescedBy key: some Hashable, fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
    let scheduler = scheduler(for: Call("RunLoop.runTask(coalescedBy:)", fileID, line))
    scheduler.catchUpAndRelease()
    let task = TaskKey(key).flatMap(scheduler.store.task)
    return task.map(scheduler.runNow) ?? false
  }
}

extension Call {
  /// Stops the program if a closure of an actor would run outside that.
  ///
  /// Only a default actor has no executor of its own. It runs on the shared threads of async code, whose loops nobody
  /// runs.
  fileprivate func check(_ isolation: any Actor) {
    if isolation === MainActor.shared { return }
    // What has no address stands for code of no actor, and only a default actor has no table of functions. The type is
    // frozen, and these are its two words.
    let (address, functions) = unsafeBitCast(isolation.unownedExecutor, to: (UInt, UInt).self)
    guard address != 0, functions == 0 else { return }
    stop(
      """
      must not be called in a method of an actor that has no executor of its own, because the closure would run outside \
      the actor, on a loop that nobody runs; use MainActor.perform(when:), the taskQueue of a loop that runs, or a \
      RunLoopThread as the actor's executor
      """)
  }
}
