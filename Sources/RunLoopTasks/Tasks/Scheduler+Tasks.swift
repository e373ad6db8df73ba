import Foundation

// Adding, changing and removing tasks, on the loop's own thread.
extension Scheduler {
  /// Takes in a new task. Its key is given to it by a call of its own.
  func takeIn(_ task: RunLoopTask, at date: Int64) {
    pending.add(task, at: date)
    keepAlive(for: task)
  }

  func apply(_ amendment: Amendment, to task: RunLoopTask, at date: Int64) {
    guard task.whereabouts != .outside, task.state == .pending else { return }
    switch amendment {
    case .timing(let timing): pending.setTiming(of: task, to: timing)
    case .modes(let modes): pending.setModes(of: task, to: modes)
    case .order(let order): pending.setOrder(of: task, to: order)
    case .delay(let end): pending.setDelayEnd(of: task, to: end, at: date)
    case .limit(let end): pending.setLimitEnd(of: task, to: end, at: date)
    case .key(let key): setKey(of: task, to: key, at: date)
    }
    keepAlive(for: task)
  }

  func setKey(of task: RunLoopTask, to key: TaskKey, at date: Int64) {
    forgetKey(of: task)
    guard key.isEqualToItself else { return pending.setIntervalEnd(of: task, to: .min, at: date) }
    task.key = key
    replaceTask(with: key, by: task, at: date)
  }

  /// Replaces the pending task with an equal key by a task whose options contain the key.
  func replaceTask(with key: TaskKey, by task: RunLoopTask, at date: Int64) {
    let old = keys.replaceTask(with: key, by: task)
    if key.interval > 0 || task.options != nil {
      pending.setIntervalEnd(of: task, to: keys.endOfInterval(of: key) ?? .min, at: date)
    }
    guard let old else { return }
    if old.leavePending(for: .cancelled) {
      pending.replace(old, by: task, at: date)
      garbage.add(old)
    } else if let oldKey = old.key.take() {
      // Another thread has just cancelled the old task. It has no place to give, and that thread's message releases it.
      garbage.add(oldKey)
    }
  }

  /// Takes out a task that was cancelled.
  func withdraw(_ task: RunLoopTask) {
    takeOut(task)
    garbage.add(task)
  }

  /// Removes a task and its key. Does nothing for a task that is still in the mailbox.
  func takeOut(_ task: RunLoopTask) {
    guard task.whereabouts != .outside else { return }
    pending.remove(task)
    if !task.extras.isNone { forgetKey(of: task) }
    if runs.isPastCheck { task.forEachMode { if !pending.hasTasks(in: $0) { endSleep(in: $0) } } }
  }

  func withdrawOutdated() {
    for task in pending.all where task.cancelIfOutdated() { withdraw(task) }
  }

  /// Forgets the key of a task. `garbage` releases the key later.
  ///
  /// - Parameter hasBegun: whether the task has just begun, so that its interval begins.
  func forgetKey(of task: RunLoopTask, hasBegun: Bool = false) {
    guard let key = task.key.take() else { return }
    garbage.add(key)
    _ = keys.removeTask(with: key)
    if hasBegun, key.interval > 0 { noteBeginning(of: key) }
  }

  /// Remembers the start of a task with a key until its interval ends.
  private func noteBeginning(of key: TaskKey) {
    let now = clock.now
    let alarm = pending.addInterval(of: key, until: now.addingSaturated(key.interval))
    if let old = keys.noteBeginning(of: key, at: now, until: alarm) { pending.removeInterval(old) }
  }

  /// Ends the delays, limits and intervals whose time has come, after what other threads have sent before.
  ///
  /// - Returns: the date until which time has passed.
  @discardableResult
  func letTimePass() -> Int64 {
    let now = clock.now
    if pending.earliestAlarm != nil {
      readMessages()
      letTimePass(until: now)
    }
    return now
  }

  func letTimePass(until date: Int64) {
    for key in pending.letTimePass(until: date) {
      if let stored = keys.forgetBeginning(of: key) { garbage.add(stored) }
      garbage.add(key)
    }
  }
}
