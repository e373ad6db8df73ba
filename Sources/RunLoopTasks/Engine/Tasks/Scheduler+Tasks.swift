import Foundation

// Scheduling, changing and cancelling tasks. On the loop's own thread, each call takes effect at once. Other threads
// decide by themselves whether a task is cancelled. All else they send as messages, for which the loop's thread looks
// first in each call and at each activity.
extension Scheduler {
  /// Schedules a closure on the loop's own thread. A quick path for tasks that are simple.
  @inline(__always)
  func perform(
    _ closure: @escaping () -> Void, _ timing: RunLoopTask.Timing = .nextLoopBegan, in mode: RunLoop.Mode? = nil,
    key: TaskKey? = nil, fileID: StaticString, line: UInt
  ) -> RunLoopTask {
    guard hasLoop else { return RunLoopTask(self, fileID: fileID, line: line, closure: nil) }
    // Before the task is made, so that earlier messages cannot concern it, and a release that runs the loop cannot run
    // it.
    lookAnew()
    let task = RunLoopTask(self, timing, fileID: fileID, line: line, closure: closure)
    task.beginPending()
    if let mode { task.mode = id(of: mode) }
    if let key { task.extras = .key(key) }
    takeIn(task, at: clock.now)?.releaseContents()
    if key != nil { releaseGarbage() }
    if !hasRun { unrunLoop.note(task, at: clock.now) }
    return task
  }

  // MARK: Changing and cancelling

  /// Lets the loop's own thread do what a message says: at once, or when it next looks.
  ///
  /// - Returns: whether the loop has not ended.
  @discardableResult
  func submit(_ message: Mailbox.Content) -> Bool {
    guard isCurrent else { return send(message) }
    let now = catchUp()
    message.newTask?.beginPending()
    apply(message, at: now ?? clock.now)
    releaseGarbage()
    return true
  }

  /// Changes the options of a task that has not begun. It keeps its place in line as far as the change allows.
  ///
  /// - Parameter option: the method that changes them, for the message that stops the program off the loop's own
  ///   thread.
  func change(_ task: RunLoopTask, _ option: StaticString, _ body: () -> Void) {
    guard isCurrent else { return refuse(option, of: task) }
    let now = catchUp(beforeChanging: task)
    if task.isChangeable {
      pending.change(task, at: now ?? clock.now, body)
      wakeHostForChange()
    }
    releaseGarbage()
  }

  func setKey(of task: RunLoopTask, to key: TaskKey, _ option: StaticString) {
    guard isCurrent else { return refuse(option, of: task) }
    let now = catchUp(beforeChanging: task)
    if task.isChangeable {
      if let oldKey = task.key {
        forgetKey(of: task)
        garbage.append(oldKey)
      }
      task.key = key
      let old = replaceTask(with: key, by: task, at: now ?? clock.now)
      wakeHostForChange()
      old?.releaseContents()
    }
    releaseGarbage()
  }

  /// - Returns: the time, if it was read.
  @inline(__always)
  private func catchUp(beforeChanging task: RunLoopTask) -> Int64? {
    // It is quicker to set a property of a task that is not settled yet. One with options must be settled first, as its
    // dates may have passed.
    mustCatchUp(beforeChanging: task) || !task.hasNoOptions ? catchUp() : nil
  }

  /// Stops the program, because an option was chained off the loop's own thread. On a thread whose own loop has ended,
  /// the task may be one of that loop, and is cancelled.
  private func refuse(_ option: StaticString, of task: RunLoopTask) {
    if ThreadLocalScheduler.hasEnded { return }
    if isMainActorElsewhere { reportLostMainLoop() }
    fatalError(
      """
      RunLoopTask.\(option) of the task scheduled at \(task.origin) must be called on the loop's own thread, because \
      elsewhere the loop may have run the task already; pass the options in the call, as in \
      MainActor.perform(when: .currentLoopEnded) { … }
      """)
  }

  /// Whether the task is the newest, on its own thread, and no message is unread. Its properties may then be set
  /// directly, as by nearly all links that are chained to `perform`.
  func maySetDirectly(_ task: RunLoopTask) -> Bool { isCurrent && !mustCatchUp(beforeChanging: task) }

  private func mustCatchUp(beforeChanging task: RunLoopTask) -> Bool {
    !task.isNewest || hasMessages.load(ordering: .acquiring)
  }

  /// Cancels all pending tasks, from any thread.
  func cancelAll() {
    pendingCount.beginGeneration()
    submit(.withdrawOutdated)
  }

  // MARK: On the loop's own thread

  /// Takes in a new task.
  ///
  /// - Returns: the task that it has replaced, for the caller to release.
  @inline(__always)
  func takeIn(_ task: RunLoopTask, at date: @autoclosure () -> Int64) -> RunLoopTask? {
    pending.add(task)
    let old = task.key.flatMap { replaceTask(with: $0, by: task, at: date()) }
    keepAlive(task)
    wakeHostForChange()
    return old
  }

  /// Replaces the pending task with an equal key by a task that has the key.
  ///
  /// - Returns: the task that was pending, for the caller to release.
  func replaceTask(with key: TaskKey, by task: RunLoopTask, at date: @autoclosure () -> Int64) -> RunLoopTask? {
    let old = withKeys { $0.setTask(task, with: key) }
    if key.interval > 0 || task.options?.intervalEnd ?? .min > .min {
      let now = date()
      let end = withKeys { $0.endOfInterval(of: key, at: now) } ?? .min
      pending.change(task, at: now) { task.makeOptions().intervalEnd = end }
    }
    guard let old else { return nil }
    if old.leavePending(for: .cancelled) {
      pending.remove(old)
      for index in flushes.indices { flushes[index].replace(old, by: task) }
      if old.options?.leastLimitEnd ?? .max < .max { pending.change(task, at: date()) { task.inheritLimit(of: old) } }
      return old
    }
    if let oldKey = old.key.take() { garbage.append(oldKey) }  // the withdrawal of the old task is still to come
    return nil
  }

  /// Cancels the pending task with a key.
  func cancelTask(with key: TaskKey) {
    if let task = withKeys({ $0[key] }), task.leavePending(for: .cancelled) { withdraw(task) }
  }

  /// Takes out a task that was cancelled. Does no more than release it if it is out already, or never came in.
  func withdraw(_ task: RunLoopTask) {
    if task.whereabouts != .outside {
      pending.remove(task)
      forgetKey(of: task)
      wakeHostForChange()
    }
    garbage.append(task)
  }

  func withdrawOutdated() {
    for task in pending.all where task.isOutdated { withdraw(task) }
  }

  /// Forgets the key of a task, which still has it.
  ///
  /// - Parameter hasBegun: whether the task has just begun, so that its interval begins.
  func forgetKey(of task: RunLoopTask, hasBegun: Bool = false) {
    guard let key = task.key else { return }
    withKeys { $0.removeTask(with: key) }
    if hasBegun, key.interval > 0 { withKeys { $0.noteBeginning(of: key, at: clock.now) } }
  }

  /// Settles the newest task, reads and applies the messages of other threads, and ends the delays, limits and
  /// intervals whose time has come.
  ///
  /// - Returns: the time, if it was read.
  @discardableResult
  func catchUp() -> Int64? {
    pending.settle()
    // Read before the flag: if that is clear, nothing older than this date is unread.
    let date = nextChange < .max ? clock.now : nil
    if hasMessages.load(ordering: .acquiring) { return readMessages() }
    if let date { letTimePass(until: date) }
    return date
  }

  func letTimePass(until date: Int64) {
    pending.settle()
    guard nextChange <= date else { return }
    pending.letTimePass(until: date)
    garbage += withKeys { $0.forgetBeginnings(until: date) } as [AnyObject]
  }

  /// Catches up, and releases what is no longer needed, before the tasks are looked at.
  @inline(__always)
  func lookAnew() {
    catchUp()
    releaseGarbage()
    pending.settle()  // what a release has scheduled
  }

  /// Releases the garbage, including what a release adds. That may run any code.
  @inline(__always)
  func releaseGarbage() {
    while !garbage.isEmpty { (garbage.removeLast() as? RunLoopTask)?.releaseContents() }
  }
}
