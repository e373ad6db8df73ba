import Foundation

/// The options of a task that one call sets.
struct TaskPlan {
  var timing = RunLoopTask.Timing.nextLoopBegan
  var delay = Duration.zero
  var limit: Duration?
  /// The date of the task clock from which the task is due at any activity, instead of a delay and a limit.
  var date: Int64?
  var order = 0
  var modes: [RunLoop.Mode] = [.default]
  var key: TaskKey?
}

// Scheduling, amending and cancelling tasks. On the loop's own thread, each call takes effect at once. Other threads
// send messages, which the loop's thread reads before it does anything else.
extension Scheduler {
  /// Schedules a closure on the loop's own thread, for the default timing and mode.
  @inline(__always)
  func perform(_ closure: @escaping () -> Void, fileID: StaticString, line: UInt) -> RunLoopTask {
    guard hasLoop else { return RunLoopTask(self, fileID: fileID, line: line, closure: nil) }
    readMessages()  // before the task is made, so that a `cancelAll()` that is read now does not affect it
    let task = RunLoopTask(self, fileID: fileID, line: line, closure: closure)
    if pending.earliestAlarm != nil { letTimePass() }
    pending.add(simple: task)
    keepAlive(for: task)
    garbage.release()
    return task
  }

  /// Schedules a closure on the loop's own thread.
  func perform(
    _ plan: TaskPlan, isSendable: Bool = false, fileID: StaticString, line: UInt, _ closure: @escaping () -> Void
  ) -> RunLoopTask {
    guard hasLoop else { return RunLoopTask(self, fileID: fileID, line: line, closure: nil) }
    readMessages()  // as above
    let task = makeTask(plan, isSendable: isSendable, fileID: fileID, line: line, closure)
    let now = letTimePass()
    takeIn(task, at: now)
    if let key = task.key { replaceTask(with: key, by: task, at: now) }
    garbage.release()
    return task
  }

  /// Schedules a closure from another thread.
  ///
  /// - Parameter isSendable: whether the closure may be released on any thread.
  func send(
    _ plan: TaskPlan, isSendable: Bool, fileID: StaticString, line: UInt,
    _ closure: consuming @escaping @Sendable () -> Void
  ) -> RunLoopTask {
    let task = makeTask(plan, isSendable: isSendable, fileID: fileID, line: line, consume closure)
    if !send(.task(task)) {
      reportDroppedTask()
      _ = task.leavePending(for: .cancelled)
      // No other code has the task yet.
      _ = task.closure.take()
      _ = task.key.take()
    }
    return task
  }

  private func makeTask(
    _ plan: TaskPlan, isSendable: Bool, fileID: StaticString, line: UInt, _ closure: consuming @escaping () -> Void
  ) -> RunLoopTask {
    let task = RunLoopTask(
      self, plan.timing, isSendable: isSendable, fileID: fileID, line: line, closure: consume closure)
    if plan.modes.count == 1 { task.mode = id(of: plan.modes[0]) } else { task.setModeIDs(ids(of: plan.modes)) }
    if plan.order != 0 { task.madeOptions.order = plan.order }
    if plan.delay > .zero { task.madeOptions.delayEnd = clock.date(after: plan.delay) }
    if let date = plan.date { (task.madeOptions.delayEnd, task.madeOptions.limitEnd) = (date, date) }
    if let limit = plan.limit { task.madeOptions.limitEnd = clock.date(after: limit) }
    if let key = plan.key, key.isEqualToItself { task.key = key }
    return task
  }

  // MARK: Amending and cancelling

  /// Changes a task, from any thread.
  func amend(_ task: RunLoopTask, _ amendment: Amendment) {
    guard isCurrent else {
      if task.state == .pending { send(.amendment(task, amendment)) }
      return
    }
    readMessages()
    apply(amendment, to: task, at: letTimePass())
    garbage.release()
  }

  /// Changes the timing. A quick path, because nearly every task has a chained timing.
  @inline(__always)
  func setTiming(of task: RunLoopTask, to timing: RunLoopTask.Timing) {
    guard isCurrent, !hasMessages.load(ordering: .acquiring), task.isInLine, !runs.isPastCheck else {
      return amend(task, .timing(timing))
    }
    pending.setTiming(of: task, to: timing)
  }

  /// Changes the modes to a single mode. A quick path, because chained modes are nearly always a single mode.
  @inline(__always)
  func setMode(of task: RunLoopTask, to mode: RunLoop.Mode) {
    guard isCurrent, !hasMessages.load(ordering: .acquiring), task.isInLine, task.extras.isNone else {
      return amend(task, .modes(ids(of: [mode])))
    }
    let id = id(of: mode)
    if task.mode == id { return }
    pending.setMode(of: task, to: id)
    keepAlive(for: task)
  }

  /// Releases a task that was cancelled on the loop's own thread.
  func release(_ task: RunLoopTask) {
    let mayBeInMailbox = task.whereabouts == .outside
    takeOut(task)
    // In the mailbox another thread may replace the task at the same time.
    let closure = mayBeInMailbox ? attachment.withLock { _ in task.closure.take() } : task.closure.take()
    garbage.release()
    withExtendedLifetime(closure) {}
  }

  /// Asks the loop's own thread to release a task that another thread has cancelled.
  func sendRelease(of task: RunLoopTask) { send(.release(task)) }

  /// Cancels the pending task with a key, from any thread.
  func cancelTask(with key: TaskKey) {
    guard isCurrent else {
      send(.cancellation(key))
      return
    }
    readMessages()
    keys[key]?.cancel()
  }

  /// Cancels all pending tasks, from any thread.
  func cancelAll() {
    pendingCount.beginGeneration()
    guard isCurrent else {
      send(.releaseOutdated)
      return
    }
    readMessages()
    withdrawOutdated()
    garbage.release()
  }
}
