import Foundation

// Scheduling, changing and cancelling tasks. On the loop's own thread, each call takes effect at once. Other threads
// decide by themselves whether a task is cancelled. All else they send as messages, for which the loop's thread looks
// first in each call and at each activity.
extension Scheduler {
  /// Schedules a closure on the loop's own thread. A quick path for tasks that are simple: with `schedule` alone, such
  /// a task takes half as long again.
  @inline(__always)
  func perform(
    _ closure: @escaping () -> Void, _ timing: RunLoopTask.Timing = .nextLoopBegan, in mode: RunLoop.Mode? = nil,
    key: TaskKey? = nil, fileID: StaticString, line: UInt
  ) -> RunLoopTask {
    guard hasLoop else { return RunLoopTask(self, fileID: fileID, line: line, closure: nil) }
    // Before the task is made, so that earlier messages cannot concern it, and a release that runs the loop cannot run
    // it.
    catchUpAndRelease()
    let task = RunLoopTask(self, timing, fileID: fileID, line: line, closure: closure)
    unrunLoop.noteScheduled(task)
    if isHeard { task.tellScheduled() }
    task.beginPending()
    if let mode { task.mode = id(of: mode) }
    if let key { task.extras = .key(key) }
    let old = store.add(task, at: clock.now)
    keepAlive(task)
    old?.releaseContents()
    if key != nil { releaseGarbage() }
    return task
  }

  /// Schedules a closure, from any thread.
  ///
  /// - Parameter isAwaited: whether async code waits for the task.
  func schedule(_ plan: TaskPlan, isAwaited: Bool = false, _ closure: consuming @escaping () -> Void) -> RunLoopTask {
    plan.check()
    if isCurrent { catchUpAndRelease() }  // before the task is made, as in the quick path
    let task = RunLoopTask(
      self, plan.timing, isSendable: plan.isSendable, fileID: plan.call.fileID, line: plan.call.line,
      closure: consume closure)
    if plan.modes.count == 1 { task.mode = id(of: plan.modes[0]) } else { task.setModeIDs(ids(of: plan.modes)) }
    if plan.order != 0 { task.makeOptions().order = plan.order }
    if let end = plan.date ?? (plan.delay > .zero ? date(after: plan.delay) : nil) { task.makeOptions().delayEnd = end }
    if let end = plan.date ?? plan.limit.map(date(after:)) { task.makeOptions().limitEnd = end }
    if let key = plan.key { task.key = key }
    task.isAwaited = isAwaited
    if !task.hasTimeToWaitFor { unrunLoop.noteScheduled(task) }
    if isHeard { task.tellScheduled() }
    if !submit(.task(task)) {
      if isOfMainLoop { reportLostMainLoop(task) }
      task.beginPending()
      _ = task.leavePending(for: .cancelled)
      task.releaseContents()  // no other code has the task yet
    }
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

  /// Takes out and releases a task that was just cancelled on the loop's own thread.
  func withdraw(_ task: RunLoopTask) {
    store.withdraw(task)
    releaseGarbage()
  }

  /// Changes the options of a task that has not begun. It keeps its place in line as far as the change allows.
  ///
  /// - Parameter option: the method that changes them, for the message that stops the program off the loop's own
  ///   thread.
  /// - Returns: whether the task is taken in, and this is its loop's own thread.
  @discardableResult
  func change(_ task: RunLoopTask, _ option: StaticString, _ body: () -> Void) -> Bool {
    guard isCurrent else {
      refuse(option, of: task)
      return false
    }
    let now = catchUp(beforeChanging: task)
    if task.isChangeable {
      store.change(task, at: now ?? clock.now, body)
      if isHeard { tell { $0.taskHasChanged() } }
    }
    releaseGarbage()
    return task.whereabouts != .outside
  }

  func setKey(of task: RunLoopTask, to key: TaskKey, _ option: StaticString) {
    guard isCurrent else { return refuse(option, of: task) }
    let now = catchUp(beforeChanging: task)
    if task.isChangeable {
      let old = store.setKey(of: task, to: key, at: now ?? clock.now)
      if isHeard { tell { $0.taskHasChanged() } }
      old?.releaseContents()
    }
    releaseGarbage()
  }

  /// - Returns: the time, if it was read.
  @inline(__always)
  private func catchUp(beforeChanging task: RunLoopTask) -> Int64? {
    // It is quicker to set a property of the newest task before it is where it belongs. One with options must be there
    // first, as its dates may have passed.
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
      MainActor.perform(when: .currentLoopEnded) { … } or queue.perform(after: .seconds(1)) { … }
      """)
  }

  /// Whether the task is the newest, on its own thread, and no message is unread. Its properties may then be set
  /// directly, as by nearly all links that are chained to `perform`. With `change` alone, a task with two takes a
  /// quarter longer.
  func maySetDirectly(_ task: RunLoopTask) -> Bool { isCurrent && !mustCatchUp(beforeChanging: task) }

  private func mustCatchUp(beforeChanging task: RunLoopTask) -> Bool {
    !task.isNewest || inbox.hasUnread
  }

  // MARK: Looking

  /// Reads and applies the messages of other threads, and ends the delays, limits and intervals whose time has come.
  ///
  /// - Returns: the time, if it was read.
  @discardableResult
  func catchUp() -> Int64? {
    // Read before the flag: if that is clear, nothing older than this date is unread.
    let date = store.nextChange < .max ? clock.now : nil
    if inbox.hasUnread { return readMessages() }
    if let date { store.letTimePass(until: date) }
    return date
  }

  /// Catches up, and releases what is no longer needed, before the tasks are looked at.
  @inline(__always)
  func catchUpAndRelease() {
    catchUp()
    releaseGarbage()
  }

  /// Releases the garbage, including what a release adds. That may run any code.
  @inline(__always)
  func releaseGarbage() {
    while let object = store.takeGarbage() { (object as? RunLoopTask)?.releaseContents() }
  }
}

// The messages of other threads.
extension Scheduler {
  /// Sends a message to the loop's own thread, and attaches the message's modes.
  ///
  /// One wake-up is enough for all messages until the loop reads them. If the loop ignores it, or a nested run consumes
  /// it, the next last look reads them. If it comes after the last look, it ends the sleep:
  ///
  ///     own thread    … ─ last look: reads ──────────────────── sleep ─ wakes: reads
  ///     sender                                message ─ wake-up ──────┘
  ///
  /// - Returns: whether the loop has not ended, and is open.
  func send(_ message: Mailbox.Content) -> Bool {
    guard let sent = inbox.add(message, at: clock.now /* read with the lock */) else { return false }
    if sent.isFirst { wake(sent.loop) }
    sent.leftover?.releaseContents()
    return true
  }

  /// Replays the messages of other threads, and the ends of delays, limits and intervals, together in the order of
  /// time.
  ///
  /// - Returns: the date until which this has let time pass.
  func readMessages() -> Int64 {
    let (mailbox, now) = inbox.takeMessages {
      store.addModes(of: $0)
      return clock.now  // with the lock, so that what is sent later has a later date
    }
    runs.resetRechecks()
    for message in mailbox.messages {  // put in order without the lock, for which senders may wait
      store.letTimePass(until: message.date)
      apply(message.content, at: message.date)
    }
    store.letTimePass(until: now)
    return now
  }

  /// Calls `body` with the messages that are unread, which remain so. It must not run user code.
  func withUnread<Result>(_ body: ([Mailbox.Message]) -> Result) -> Result {
    inbox.withUnread { messages, modes in
      store.addModes(of: modes)
      return body(messages)
    }
  }

  @inline(__always)
  func apply(_ message: Mailbox.Content, at date: Int64) {
    switch message {
    case .task(let task, let cancelsFirst):
      let isStillPending = task.isStillPending  // another thread may cancel it at any moment
      if cancelsFirst || !isStillPending, let key = task.key { store.cancelTask(with: key) }
      guard isStillPending else { return store.discard(task) }
      if let old = store.add(task, at: date) { store.discard(old) }
      keepAlive(task)
    case .withdraw(let task): store.withdraw(task)
    case .cancelAll: store.cancelAll()
    }
  }
}
