import Foundation

extension RunLoopTask {
  /// Changes the moment of the pass at which the task runs.
  ///
  /// Without it a task runs at ``Timing/nextLoopBegan``. The task keeps its place in line. Once the closure has begun, the
  /// call has no effect.
  ///
  /// ```swift
  /// RunLoop.current.perform { tableView.reloadData() }.when(.currentLoopEnded)
  /// ```
  ///
  /// On the loop's own thread, chained to `perform` in the same statement, it is never too late. On another thread the loop may
  /// have run the task by then, without a word: pass the timing to
  /// ``RunLoopTaskQueue/perform(when:forModes:coalescedBy:_:fileID:line:)`` there.
  ///
  /// - Parameter timing: the moment of the pass.
  /// - Returns: the task, to chain on.
  /// - Complexity: O(1) for the newest task, as when chaining; otherwise O(tasks between it and the nearer end of the line).
  @discardableResult
  @inlinable  // returning itself costs nothing then
  public func when(_ timing: Timing) -> RunLoopTask {
    setTiming(timing)
    return self
  }

  @usableFromInline
  func setTiming(_ timing: Timing) {
    if !scheduler.isInLine(self, for: timing) { scheduler.amend(self, .timing(timing)) }
  }

  /// Changes the modes in which the task runs.
  ///
  /// Without it a task of a `RunLoop` or a queue runs in the default mode, which waits while the user scrolls or drags; one of
  /// `MainActor.perform` runs in the common modes. `.common` stands for every mode of the loop's common modes, also for those
  /// that join them later. The task keeps its place in line. Once the closure has begun, the call has no effect.
  ///
  /// ```swift
  /// RunLoop.current.perform { label.text = title }.forModes(.default, RunLoop.Mode("panel"))
  /// ```
  ///
  /// - Important: A task without a mode could never run: no mode at all stops the program.
  /// - Parameter modes: the modes, at least one.
  /// - Returns: the task, to chain on.
  /// - Complexity: as ``when(_:)``.
  @discardableResult
  public func forModes(_ modes: RunLoop.Mode...) -> RunLoopTask { forModes(modes) }

  /// Changes the modes in which the task runs, as ``forModes(_:)-(RunLoop.Mode...)`` does.
  ///
  /// - Important: A task without a mode could never run: no mode at all stops the program.
  /// - Parameter modes: the modes, at least one.
  /// - Returns: the task, to chain on.
  /// - Complexity: as ``when(_:)``.
  @discardableResult
  public func forModes(_ modes: some Sequence<RunLoop.Mode>) -> RunLoopTask {
    let modes = Array(modes)
    guard !modes.isEmpty else {
      fatalError("RunLoopTask.forModes(_:) of the task scheduled at \(place) \(needsModes)")
    }
    scheduler.amend(self, .modes(modes))
    return self
  }

  /// Lets the task replace the pending task of the same loop with an equal key.
  ///
  /// Of the loop's pending tasks with an equal key only the latest runs. The one that it replaces is cancelled and gives it
  /// its place in line; a replacement made while a batch of tasks runs still waits for the next batch. Called again, this
  /// changes the key. A key is forgotten once its task has run or was cancelled.
  ///
  /// ```swift
  /// func setNeedsReload() {
  ///   RunLoop.current.perform { self.tableView.reloadData() }
  ///     .when(.currentLoopEnded)
  ///     .coalesced(by: ObjectIdentifier(self))  // one reload a pass, however often this is called
  /// }
  /// ```
  ///
  /// - Parameter key: what the tasks have in common that may replace each other. Keys are shared by all code that uses the
  ///   loop, so include something of your own, a type or an `ObjectIdentifier`; and if one object coalesces two kinds of
  ///   work, they need two keys, such as a `struct Key: Hashable { let owner: ObjectIdentifier; let kind: Kind }`. Keys are
  ///   compared as `AnyHashable`, to which `1` and `1.0` are equal.
  /// - Returns: the task, to chain on.
  /// - Complexity: O(1) on average if the replaced task has the same timing and modes, so call it last; otherwise as
  ///   ``when(_:)`` of a task in that place.
  @discardableResult
  public func coalesced(by key: some Hashable & Sendable) -> RunLoopTask {
    scheduler.amend(self, .key(PostedKey(key)))
    return self
  }
}

/// Stops the program if `modes` is empty, and names the place where the task is scheduled.
func requireModes(_ modes: [RunLoop.Mode], in function: StaticString, fileID: StaticString, line: UInt) {
  guard modes.isEmpty else { return }
  fatalError("\(function) \(needsModes)", file: fileID, line: line)
}

private let needsModes = "needs at least one mode: a task without a mode could never run; pass .default or .common"
