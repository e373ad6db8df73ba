import Foundation

// Adding, changing and removing tasks, on the loop's own thread.
extension Scheduler {
  /// Takes in a new task.
  func schedule(_ task: RunLoopTask, _ modes: [RunLoop.Mode]) {
    task.setModeIDs(ids(of: modes))
    letTimePass()
    pending.add(task, at: clock.now)
    if let key = task.key { replaceTask(with: key, by: task) }
    keepAlive(for: task)
  }

  func apply(_ amendment: Amendment, to task: RunLoopTask) {
    guard task.whereabouts != .outside, task.state == .pending else { return }
    letTimePass()
    switch amendment {
    case .timing(let timing): pending.setTiming(of: task, to: timing)
    case .modes(let modes): pending.setModes(of: task, to: ids(of: modes))
    case .order(let order): pending.setOrder(of: task, to: order)
    case .delay(let date): pending.setDelayEnd(of: task, to: date, at: clock.now)
    case .limit(let date): pending.setLimitEnd(of: task, to: date, at: clock.now)
    case .key(let key): setKey(of: task, to: key)
    }
    keepAlive(for: task)
  }

  func setKey(of task: RunLoopTask, to key: TaskKey) {
    forgetKey(of: task)
    guard key.isEqualToItself else { return setInterval(of: task) }
    (task.key, task.keyNumber) = (key, 0)
    replaceTask(with: key, by: task)
  }

  /// Replaces the pending task with an equal key by a task whose options contain the key.
  private func replaceTask(with key: TaskKey, by task: RunLoopTask) {
    let old = keys.replaceTask(with: key, by: task)
    setInterval(of: task)
    guard let old else { return }
    if old.leavePending(for: .cancelled, onLoopThread: true) {
      pending.replace(old, by: task)
      garbage.add(old)
    } else if let oldKey = old.key.take() {
      // Another thread has just cancelled the old task. It has no place to give, and that thread's message releases it.
      garbage.add(oldKey)
    }
  }

  /// Lets a task wait until the interval of its key has ended. Without a key, it has none to wait for.
  private func setInterval(of task: RunLoopTask) {
    var end = Int64.min
    if let key = task.key, key.interval > 0 { end = keys.endOfInterval(of: key) ?? .min }
    guard end > .min || task.options?.intervalEnd ?? .min > .min else { return }
    pending.setIntervalEnd(of: task, to: end, at: clock.now)
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
    if runs.isPastCheck { wake() }  // the mode may be empty now
  }

  func discardOutdated() {
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

  /// Ends the delays, limits and intervals whose time has come.
  func letTimePass() {
    guard pending.earliestAlarm != nil else { return }
    for key in pending.letTimePass(until: clock.now) {
      if let stored = keys.forgetBeginning(of: key) { garbage.add(stored) }
      garbage.add(key)
    }
  }

  private func ids(of modes: [RunLoop.Mode]) -> [ModeID] {
    if modes.count == 1 { return [id(of: modes[0])] }
    var ids: [ModeID] = []
    for mode in modes {
      let id = id(of: mode)
      if !ids.contains(id) { ids.append(id) }
    }
    return ids
  }
}
