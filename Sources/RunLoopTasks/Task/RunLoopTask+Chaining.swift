import Foundation

// Only on the loop's own thread: elsewhere the loop might have run the task before the option came.
extension RunLoopTask {
  /// Changes the moment of the pass at which the task runs.
  ///
  /// The default is ``Timing/nextLoopBegan``. The task keeps its place in line. Once the closure has begun, the call
  /// has no effect.
  ///
  /// ```swift
  /// RunLoop.current.perform { tableView.reloadData() }
  ///   .when(.currentLoopEnded)
  ///   .forModes(.common)
  /// ```
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. Pass the timing to
  ///   `RunLoopTaskQueue.perform(when:…)` there.
  /// - Parameter timing: the moment of the pass.
  /// - Returns: the task, for further chaining.
  /// - Complexity: O(1) for the newest task, as when chaining; otherwise up to O(*n*).
  @discardableResult
  @inlinable  // returning itself costs nothing then
  public func when(_ timing: Timing) -> RunLoopTask {
    setTiming(timing)
    return self
  }

  @usableFromInline
  func setTiming(_ timing: Timing) {
    if scheduler.maySetDirectly(self) { return self.timing = timing }
    scheduler.change(self, "when(_:)") { self.timing = timing }
  }

  /// Changes the modes in which the task runs.
  ///
  /// By default, a task of a `RunLoop` or a queue runs in the default mode and waits while the user scrolls or drags.
  /// A task of `MainActor.perform` runs in the common modes. `.common` means all common modes of the loop, including
  /// modes that become common later. The task keeps its place in line. Once the closure has begun, the call has no
  /// effect.
  ///
  /// ```swift
  /// RunLoop.current.perform { label.text = title }
  ///   .forModes(.default, RunLoop.Mode("panel"))
  /// ```
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. An empty list of modes also traps,
  ///   because a task without a mode could never run.
  /// - Parameters:
  ///   - modes: the modes, at least one.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: the task, for further chaining.
  /// - Complexity: as ``when(_:)``, for each mode.
  @discardableResult
  @inlinable
  public func forModes(
    _ modes: RunLoop.Mode..., fileID: StaticString = #fileID, line: UInt = #line
  ) -> RunLoopTask { forModes(modes, fileID: fileID, line: line) }

  /// Changes the modes in which the task runs, as ``forModes(_:fileID:line:)-(RunLoop.Mode...,_,_)`` does.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. So does an empty list of modes.
  /// - Parameters:
  ///   - modes: the modes, at least one.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: the task, for further chaining.
  /// - Complexity: as ``when(_:)``, for each mode.
  @discardableResult
  @inlinable  // so that a single mode that is written out needs no array
  public func forModes(
    _ modes: some Sequence<RunLoop.Mode>, fileID: StaticString = #fileID, line: UInt = #line
  ) -> RunLoopTask {
    let modes = Array(modes)
    if modes.count == 1 { setMode(modes[0]) } else { setModes(modes, fileID, line) }
    return self
  }

  @usableFromInline
  func setMode(_ mode: RunLoop.Mode) {
    guard scheduler.maySetDirectly(self) else { return setModes([mode], #fileID, #line) }
    self.mode = scheduler.id(of: mode)
    scheduler.keepAlive(self)
  }

  @usableFromInline
  func setModes(_ modes: [RunLoop.Mode], _ fileID: StaticString, _ line: UInt) {
    guard !modes.isEmpty else {
      Call("RunLoopTask.forModes(_:)", fileID, line).stop("of the task scheduled at \(origin) \(TaskPlan.needsModes)")
    }
    let modes = scheduler.ids(of: modes)
    if scheduler.change(self, "forModes(_:)", { setModeIDs(modes) }) { scheduler.keepAlive(self) }
  }

  /// Delays the task, counting from this call.
  ///
  /// When the delay ends, the loop wakes, the task takes its place in line, and it runs at the next moment of its
  /// timing. Until then it is pending and keeps runs alive in its modes as a timer does, but the loop may sleep. A
  /// second call starts the delay again. Once the closure has begun, the call has no effect.
  ///
  /// ```swift
  /// RunLoop.current.perform { banner.isHidden = true }.after(.seconds(3))
  /// ```
  ///
  /// A delay with a key is a *debounce*: a task that replaces another waits for its own delay.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps.
  /// - Parameter delay: the time to wait. Zero or less is no delay. The clock stops while the machine sleeps, as a
  ///   `Timer`'s does. The longest delay is 292 years, and a longer one counts as that.
  /// - Returns: the task, for further chaining.
  /// - Complexity: O(log *n*).
  @discardableResult
  public func after(_ delay: Duration) -> RunLoopTask {
    let end = delay > .zero ? scheduler.date(after: delay) : .min
    scheduler.change(self, "after(_:)") {
      makeOptions().delayEnd = end
      guard end > .min else { return }
      position = 0  // even if a limit that has passed makes the task due at once
      scheduler.unrunLoop.noteGone(self)
    }
    return self
  }

  /// Limits the task's wait, counting from this call.
  ///
  /// When the limit expires, the loop wakes and runs the task at its next activity, whatever its timing, delay or
  /// interval. The task keeps its modes and its place in line. If its delay has not ended, it gets its place then. A
  /// second call starts the limit again. Once the closure has begun, the call has no effect.
  ///
  /// A task that replaces another inherits its limit, and its own limit can only bring that forward. Combine a delay, a
  /// limit and a key for a debounce with a maximum wait.
  ///
  /// ```swift
  /// // When idle, or after half a second.
  /// RunLoop.current.perform { cache.prefetch() }
  ///   .when(.idle)
  ///   .within(.milliseconds(500))
  /// ```
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps.
  /// - Parameter limit: the longest time that the task waits for its timing. Zero or less means the next activity.
  /// - Returns: the task, for further chaining.
  /// - Complexity: O(log *n*).
  @discardableResult
  public func within(_ limit: Duration) -> RunLoopTask {
    let end = scheduler.date(after: limit)
    scheduler.change(self, "within(_:)") { makeOptions().limitEnd = end }
    return self
  }

  /// Moves the task ahead of other tasks that are due at the same activity, or behind them.
  ///
  /// Tasks with a lower order run first. Tasks with the same order run first in, first out. Once the closure has begun,
  /// the call has no effect.
  ///
  /// ```swift
  /// RunLoop.current.perform { thumbnail.load() }
  ///   .when(.idle)
  ///   .order(cell.isVisible ? -1 : 0)
  /// ```
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps.
  /// - Parameter order: the order. The default is 0.
  /// - Returns: the task, for further chaining.
  /// - Complexity: Up to O(*n*).
  @discardableResult
  public func order(_ order: Int) -> RunLoopTask {
    scheduler.change(self, "order(_:)") { makeOptions().order = order }
    return self
  }

  /// Makes this task replace any pending task with an equal key.
  ///
  /// Of the loop's pending tasks with an equal key, only the latest runs. It cancels the task that it replaces and
  /// inherits its limit, but not its place in line, as in `NotificationQueue`. A second call changes the key. Without
  /// an interval, the loop forgets a key once its task has begun or is cancelled.
  ///
  /// ```swift
  /// func setNeedsReload() {
  ///   RunLoop.current.perform { self.tableView.reloadData() }
  ///     .when(.currentLoopEnded)
  ///     .forModes(.common)
  ///     .coalesced(by: OwnerKey(self))  // one reload a pass
  /// }
  /// ```
  ///
  /// Keys are shared by all code on a loop, so make the owner part of yours:
  ///
  /// - For one kind of work of the program, use a string, such as `"save"`.
  /// - For work of an object, use an ``OwnerKey``: `OwnerKey(self)`, or `OwnerKey(self, "save")` for one of several
  ///   kinds, or `OwnerKey(self, row)`.
  /// - An object that is `Hashable` and `Sendable` is a key itself. That key keeps the object alive as long as the task
  ///   is pending and, with an interval, until the interval is over. An `OwnerKey` doesn't.
  /// - For other parts, use a struct of them that is `Hashable` and `Sendable`. A tuple is not `Hashable`.
  /// - Instead of an `AnyHashable`, which is not `Sendable`, use the value in it, or `coalescedBy:` of
  ///   `RunLoop.perform(when:…)`, which takes any key.
  ///
  /// A key with an interval is a *throttle*: the first task runs at the next moment of its timing, and then the latest
  /// task of each interval. A task that waits for the interval keeps its place in line.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps.
  /// - Parameters:
  ///   - key: the key. Keys of different types are different keys, even `1` and `UInt8(1)`. Objects are compared
  ///     whatever their classes. An optional key equals the value in it, and without a value it is no key. The `==` and
  ///     `hash(into:)` of a key must not lock, block, schedule or post.
  ///   - interval: the shortest time between the starts of two tasks with an equal key. Zero or less is no interval.
  ///     The loop forgets a key when it next looks for tasks after the interval.
  /// - Returns: the task, for further chaining.
  /// - Complexity: O(1) on average if nothing was scheduled after the replaced task; otherwise up to O(*n*).
  @discardableResult
  public func coalesced(by key: some Hashable & Sendable, atMostEvery interval: Duration = .zero) -> RunLoopTask {
    if let key = TaskKey(key, atMostEvery: interval) {
      scheduler.setKey(of: self, to: key, "coalesced(by:)")
    } else if interval > .zero {
      fatalError(
        "RunLoopTask.coalesced(by:) of the task scheduled at \(origin) \(TaskPlan.needsKey(for: interval)); this one is nil"
      )
    }
    return self
  }
}
