import Foundation

extension RunLoopTask {
  /// Changes the moment of the pass at which the task runs.
  ///
  /// Without it a task runs at ``Timing/nextLoopBegan``. The task keeps its place in line. Once the closure has begun, the
  /// call has no effect.
  ///
  /// ```swift
  /// RunLoop.current.perform { tableView.reloadData() }
  ///   .when(.currentLoopEnded)
  /// ```
  ///
  /// Chained to `perform` in the same statement on the loop's own thread, the call is never too late. On another thread the loop may
  /// have run the task by then: pass the timing to `RunLoopTaskQueue.perform(when:…)` there.
  ///
  /// - Parameter timing: the moment of the pass.
  /// - Returns: the task, to chain on.
  /// - Complexity: O(1) for the newest task, as when chaining; otherwise O(log *n*) comparisons and a move of the tasks behind it.
  @discardableResult
  @inlinable  // returning itself costs nothing then
  public func when(_ timing: Timing) -> RunLoopTask {
    setTiming(timing)
    return self
  }

  @usableFromInline
  func setTiming(_ timing: Timing) { scheduler.setTiming(of: self, to: timing) }

  /// Changes the modes in which the task runs.
  ///
  /// Without it a task of a `RunLoop` or a queue runs in the default mode, which waits while the user scrolls or drags; one of
  /// `MainActor.perform` runs in the common modes. `.common` stands for every mode of the loop's common modes, also for those
  /// that join them later. The task keeps its place in line. Once the closure has begun, the call has no effect.
  ///
  /// ```swift
  /// RunLoop.current.perform { label.text = title }
  ///   .forModes(.default, RunLoop.Mode("panel"))
  /// ```
  ///
  /// - Important: A task without a mode could never run: no mode at all stops the program.
  /// - Parameter modes: the modes, at least one.
  /// - Returns: the task, to chain on.
  /// - Complexity: as ``when(_:)``, for each mode.
  @discardableResult
  @inlinable
  public func forModes(_ modes: RunLoop.Mode...) -> RunLoopTask { forModes(modes) }

  /// Changes the modes in which the task runs, as ``forModes(_:)-(RunLoop.Mode...)`` does.
  ///
  /// - Important: A task without a mode could never run: no mode at all stops the program.
  /// - Parameter modes: the modes, at least one.
  /// - Returns: the task, to chain on.
  /// - Complexity: as ``when(_:)``, for each mode.
  @discardableResult
  @inlinable  // so that nearly always no array need be made
  public func forModes(_ modes: some Sequence<RunLoop.Mode>) -> RunLoopTask {
    var iterator = modes.makeIterator()
    let (first, second) = (iterator.next(), iterator.next())
    if let first, second == nil {
      setMode(first)
    } else {
      var all = [first, second].compactMap(\.self)
      while let mode = iterator.next() { all.append(mode) }
      setModes(all)
    }
    return self
  }

  @usableFromInline
  func setMode(_ mode: RunLoop.Mode) { scheduler.setMode(of: self, to: mode) }

  @usableFromInline
  func setModes(_ modes: [RunLoop.Mode]) {
    guard !modes.isEmpty else {
      fatalError("RunLoopTask.forModes(_:) of the task scheduled at \(place) \(needsModes)")
    }
    scheduler.amend(self, .modes(modes))
  }

  /// Lets the task wait: it is not due before this has passed since the call.
  ///
  /// Then it runs at the next moment that its timing names, and the loop is woken for it. Its place in line is that of the moment at
  /// which its delay ended. Meanwhile it is pending, and keeps runs alive in its modes as a timer does, while the loop sleeps. Called
  /// again, the delay counts anew. Once the closure has begun, the call has no effect.
  ///
  /// ```swift
  /// RunLoop.current.perform { banner.isHidden = true }.after(.seconds(3))
  /// ```
  ///
  /// With a key it is a *debounce*: a task that replaces another waits for its own delay.
  ///
  /// - Parameter delay: how long to wait. Zero or less is no delay. Time stands still while the machine sleeps, as for a `Timer`. A delay
  ///   longer than 292 years lasts as long as the clock can count.
  /// - Returns: the task, to chain on.
  /// - Complexity: O(log *n*).
  @discardableResult
  public func after(_ delay: Duration) -> RunLoopTask {
    let date = delay > .zero ? scheduler.clock.date(after: delay) : .min
    scheduler.amend(self, .delay(until: date))
    return self
  }

  /// Limits how long the task may wait: once this has passed since the call, it is due at any next activity of the loop.
  ///
  /// Its timing no longer matters then, and the loop is woken for it. Its place in line and its modes stay. It never makes the task due
  /// before its delay has ended. Called again, the limit counts anew. Once the closure has begun, the call has no effect.
  ///
  /// ```swift
  /// // When idle, but in half a second at the latest.
  /// RunLoop.current.perform { cache.prefetch() }
  ///   .when(.idle)
  ///   .within(.milliseconds(500))
  /// ```
  ///
  /// - Important: A limit of zero or less stops the program.
  /// - Parameter limit: how long the task may wait for its timing.
  /// - Returns: the task, to chain on.
  /// - Complexity: O(log *n*).
  @discardableResult
  public func within(_ limit: Duration) -> RunLoopTask {
    guard limit > .zero else {
      fatalError("RunLoopTask.within(_:) of the task scheduled at \(place) \(needsLimit(limit))")
    }
    scheduler.amend(self, .limit(scheduler.clock.date(after: limit)))
    return self
  }

  /// Puts the task before or behind others that are due at the same activity.
  ///
  /// Tasks with a lower order run first, and first in, first out among equals. Once the closure has begun, the call has no effect.
  ///
  /// ```swift
  /// RunLoop.current.perform { thumbnail.load() }
  ///   .when(.idle)
  ///   .order(cell.isVisible ? -1 : 0)
  /// ```
  ///
  /// - Parameter order: the order, 0 without this.
  /// - Returns: the task, to chain on.
  /// - Complexity: as ``when(_:)``.
  @discardableResult
  public func order(_ order: Int) -> RunLoopTask {
    scheduler.amend(self, .order(order))
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
  ///     .coalesced(by: ObjectIdentifier(self))  // one reload a pass
  /// }
  /// ```
  ///
  /// With an interval it is a *throttle*: the first task runs at once, then the latest of each interval.
  ///
  /// - Parameters:
  ///   - key: what the tasks have in common that may replace each other. Keys are shared by all code that uses the loop, so include something
  ///     of your own, a type or an `ObjectIdentifier`. If one object coalesces two kinds of work, they need two keys, such as a
  ///     `struct Key: Hashable { let owner: ObjectIdentifier; let kind: Kind }`. Keys are compared as `AnyHashable`, to which `1` and `1.0`
  ///     are equal. Their `==` and `hash(into:)` must not schedule anything.
  ///   - interval: the task is not due before this has passed since a task with an equal key last began. Zero or less is no interval.
  ///     Nothing is remembered of a key once its interval is over.
  /// - Returns: the task, to chain on.
  /// - Complexity: O(1) on average if nothing was scheduled after the replaced task; otherwise as ``when(_:)``.
  @discardableResult
  public func coalesced(by key: some Hashable & Sendable, atMostEvery interval: Duration = .zero) -> RunLoopTask {
    scheduler.coalesce(self, by: TaskKey(key, atMostEvery: interval))
    return self
  }
}

/// Stops the program if a plan names no mode or a limit that is over at once, and names the place where the task is scheduled.
func check(_ plan: TaskPlan, in function: StaticString, fileID: StaticString, line: UInt) {
  if plan.modes.isEmpty { fatalError("\(function) \(needsModes)", file: fileID, line: line) }
  if let limit = plan.limit, limit <= .zero { fatalError("\(function) \(needsLimit(limit))", file: fileID, line: line) }
}

private let needsModes = "needs at least one mode: a task without a mode could never run; pass .default or .common"

private func needsLimit(_ limit: Duration) -> String {
  "needs a limit above zero, not \(limit): to run the task as soon as possible, leave the limit out"
}
