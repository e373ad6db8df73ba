import CoreFoundation
import Foundation

/// What a task is given in one call.
struct TaskPlan {
  var timing = RunLoopTask.Timing.nextLoopBegan
  var delay = Duration.zero
  var limit: Duration?
  var order = 0
  var modes: [RunLoop.Mode] = [.default]
  var key: TaskKey?
}

// What comes in: tasks, changes to them, and their end. On the loop's own thread each call takes effect at once. Other threads
// send messages, which the loop's thread reads before it does anything else.
extension Scheduler {
  /// Schedules a closure on the loop's own thread, for the default timing and mode.
  @inline(__always)
  func perform(_ closure: @escaping () -> Void, fileID: StaticString, line: UInt) -> RunLoopTask {
    guard loop != nil else { return RunLoopTask(self, fileID: fileID, line: line, closure: nil) }
    readMessages()  // before the task is made, so that a cancellation of all tasks that is read now does not concern it
    let task = RunLoopTask(self, fileID: fileID, line: line, closure: closure)
    task.enterPending(onLoopThread: true)
    if pending.earliestAlarm != nil { letTimePass() }
    pending.add(task, at: 0)
    keepAlive(for: task)
    if !garbage.isEmpty { releaseGarbage() }
    return task
  }

  /// Schedules a closure on the loop's own thread.
  func perform(
    _ plan: TaskPlan, isSendable: Bool = false, fileID: StaticString, line: UInt, _ closure: @escaping () -> Void
  ) -> RunLoopTask {
    guard loop != nil else { return RunLoopTask(self, fileID: fileID, line: line, closure: nil) }
    readMessages()  // as above
    let task = makeTask(plan, isSendable: isSendable, fileID: fileID, line: line, closure)
    task.enterPending(onLoopThread: true)
    schedule(task, plan.modes)
    releaseGarbage()
    return task
  }

  /// Schedules a closure from another thread.
  ///
  /// - Parameter isSendable: whether the closure may be released on any thread.
  func post(
    _ plan: TaskPlan, isSendable: Bool, fileID: StaticString, line: UInt, _ closure: @escaping @Sendable () -> Void
  ) -> RunLoopTask {
    let task = makeTask(plan, isSendable: isSendable, fileID: fileID, line: line, closure)
    task.enterPending(onLoopThread: false)
    if !post({ $0.schedule(task, plan.modes) }) {
      _ = task.leavePending(for: .cancelled, onLoopThread: false)
      _ = task.closure.take()  // nobody else has the task yet
    }
    return task
  }

  private func makeTask(
    _ plan: TaskPlan, isSendable: Bool, fileID: StaticString, line: UInt, _ closure: @escaping () -> Void
  ) -> RunLoopTask {
    let task = RunLoopTask(
      self, plan.timing, isSendable: isSendable, fileID: fileID, line: line, closure: closure)
    if plan.order != 0 { task.madeOptions.order = plan.order }
    if plan.delay > .zero { task.madeOptions.delayEnd = clock.date(after: plan.delay) }
    if let limit = plan.limit { task.madeOptions.limitEnd = clock.date(after: limit) }
    if let key = plan.key, key.isEqualToItself {
      (task.madeOptions.key, task.madeOptions.interval) = (key.value, key.interval)
    }
    return task
  }

  // MARK: Amending and cancelling

  /// Changes a task, from any thread.
  func amend(_ task: RunLoopTask, _ amendment: Amendment) {
    guard task.state == .pending else { return }
    guard isCurrent else {
      _ = post { $0.amend(task, amendment) }
      return
    }
    readMessages()
    apply(amendment, to: task)
    releaseGarbage()
  }

  /// Changes only the timing, which nearly every task is chained with.
  @inline(__always)
  func setTiming(of task: RunLoopTask, to timing: RunLoopTask.Timing) {
    guard isCurrent, !hasMessages.load(ordering: .acquiring), task.standing == .inLine, !runs.isAboutToSleep,
      task.state == .pending
    else { return amend(task, .timing(timing)) }
    pending.setTiming(of: task, to: timing)
  }

  /// Changes the modes to one, which nearly every task that is chained with modes has.
  @inline(__always)
  func setMode(of task: RunLoopTask, to mode: RunLoop.Mode) {
    guard isCurrent, !hasMessages.load(ordering: .acquiring), task.standing == .inLine, task.options == nil,
      !runs.isAboutToSleep, task.state == .pending, let id = modes.id(of: mode)
    else { return amend(task, .modes([mode])) }
    guard task.mode != id else { return }
    pending.setMode(of: task, to: id)
    keepAlive(for: task)
  }

  /// Releases a task that was cancelled on the loop's own thread.
  func discard(_ task: RunLoopTask) {
    takeOut(task)
    let closure = task.closure.take()
    if !garbage.isEmpty { releaseGarbage() }
    withExtendedLifetime(closure) {}
  }

  /// Lets the loop's own thread release a task that another thread has cancelled.
  func postDiscarding(_ task: RunLoopTask) { _ = post { $0.discard(task) } }

  /// Cancels the pending task with a key, from any thread.
  func cancelTask(with key: TaskKey) {
    guard isCurrent else {
      _ = post { $0.cancelTask(with: key) }
      return
    }
    readMessages()
    keys[key.value]?.cancel()
  }

  /// Cancels all pending tasks, from any thread.
  func cancelAll() {
    pendingCount.beginGeneration()
    guard isCurrent else {
      _ = post { $0.discardOutdated() }
      return
    }
    readMessages()
    discardOutdated()
    releaseGarbage()
  }

  // MARK: Releasing

  // What a closure has captured may do anything when it goes, such as run the loop; and so may a key. They are released only when
  // all is in order again, and where the loop may be run.

  private func releaseLater(_ task: RunLoopTask) {
    if let closure = task.closure.take() { garbage.append(.closure(closure)) }
  }

  func releaseGarbage() {
    while let next = garbage.popLast() { withExtendedLifetime(next) {} }
  }

  // MARK: Messages

  /// Sends a message to the loop's own thread.
  ///
  /// - Returns: whether the loop has not ended.
  private func post(_ message: (inout LoopAttachment) -> LoopAttachment.Receipt) -> Bool {
    let receipt = attachment.withLock { attachment in
      // Before the loop is woken: it may look at once, and a wake-up that comes while it is awake is ignored.
      hasMessages.store(true, ordering: .releasing)
      return message(&attachment)
    }
    if let loop = receipt.loopToWake { CFRunLoopWakeUp(loop) }
    _ = receipt.replaced?.closure.take()  // nobody else touches it: it was taken out of the mailbox
    return !receipt.isRefused
  }

  /// Does what other threads have asked for.
  @inline(__always)
  func readMessages() {
    if hasMessages.load(ordering: .acquiring) { readUnreadMessages() }
  }

  @inline(never)
  private func readUnreadMessages() {
    let (mail, attached, firstSeen) = attachment.withLock {
      hasMessages.store(false, ordering: .releasing)
      return $0.readMessages()
    }
    runs.noteMessages()
    for keepAlive in attached { runs.setAttached(id(of: keepAlive.mode), true) }
    for keepAlive in firstSeen { runs.noteFirstSeen(id(of: keepAlive.mode)) }
    for key in mail.keys { garbage.append(.key(key)) }
    for message in mail.messages {
      switch message {
      case .schedule(let task, let modes):
        receive(task, modes)
      case .amend(let task, let amendment):
        if task.state == .pending { apply(amendment, to: task) }
        if case .key(let key) = amendment { garbage.append(.key(key.value)) }
      case .discard(let task):
        withdraw(task)
      case .discardOutdated: discardOutdated()
      case .cancel(let key):
        garbage.append(.key(key.value))
        if let task = keys[key.value], task.leavePending(for: .cancelled, onLoopThread: true) { withdraw(task) }
      case .moved: break
      }
    }
  }

  private func receive(_ task: RunLoopTask, _ modes: [RunLoop.Mode]) {
    if !task.cancelIfOutdated(), task.state == .pending { return schedule(task, modes) }
    releaseLater(task)
    guard let key = task.options?.key.take() else { return }
    garbage.append(.key(key))
    // A task that was cancelled alone has replaced the one before it. One that was cancelled with all others has not.
    if !task.cancelIfOutdated(), let old = keys[key], old.leavePending(for: .cancelled, onLoopThread: true) {
      withdraw(old)
    }
  }

  // MARK: Tasks in and out

  /// Takes in a new task.
  private func schedule(_ task: RunLoopTask, _ modes: [RunLoop.Mode]) {
    task.setModeIDs(ids(of: modes))
    letTimePass()
    pending.add(task, at: clock.now)
    if let key = task.options?.key { coalesce(task, by: key) }
    keepAlive(for: task)
  }

  private func apply(_ amendment: Amendment, to task: RunLoopTask) {
    guard task.standing != .out, task.state == .pending else { return }
    letTimePass()
    switch amendment {
    case .timing(let timing): pending.setTiming(of: task, to: timing)
    case .modes(let modes): pending.setModes(of: task, to: ids(of: modes))
    case .order(let order): pending.setOrder(of: task, to: order)
    case .delay(let date): pending.setDelayEnd(of: task, to: date, at: clock.now)
    case .limit(let date): pending.setLimitEnd(of: task, to: date, at: clock.now)
    case .key(let key):
      forgetKey(of: task)
      guard key.isEqualToItself else { return }
      (task.madeOptions.key, task.madeOptions.interval) = (key.value, key.interval)
      coalesce(task, by: key.value)
    }
    keepAlive(for: task)
  }

  /// Lets a task take the place of the pending task with the same key.
  private func coalesce(_ task: RunLoopTask, by key: AnyHashable) {
    let old = keys.removeTask(with: key)
    if let oldKey = old?.options?.key.take() { garbage.append(.key(oldKey)) }
    keys[key] = task
    let intervalEnd = keys.end(ofInterval: task.options?.interval ?? 0, for: key) ?? .min
    pending.setIntervalEnd(of: task, to: intervalEnd, at: clock.now)
    // If another thread has just cancelled the old one, it has no place to give, and a message of that thread releases it.
    guard let old, old.leavePending(for: .cancelled, onLoopThread: true) else { return }
    if old.standing == .inLine { pending.replace(old, by: task) }
    withdraw(old)
  }

  /// Takes out a task that was cancelled.
  private func withdraw(_ task: RunLoopTask) {
    takeOut(task)
    releaseLater(task)
  }

  /// Takes a task out of line. One that is still in the mailbox is not there, and its key is not known.
  private func takeOut(_ task: RunLoopTask) {
    guard task.standing != .out else { return }
    pending.remove(task)
    if task.options != nil { forgetKey(of: task) }
  }

  private func discardOutdated() {
    for task in pending.all where task.cancelIfOutdated() { withdraw(task) }
  }

  /// Forgets the key of a task, which is released later.
  ///
  /// - Parameter hasBegun: whether the task has just begun, which its interval counts from.
  func forgetKey(of task: RunLoopTask, hasBegun: Bool = false) {
    guard let options = task.options, let key = options.key else { return }
    options.key = nil
    garbage.append(.key(key))
    _ = keys.removeTask(with: key)
    if hasBegun, options.interval > 0 { noteBeginning(of: key, interval: options.interval) }
  }

  /// Remembers for an interval when a task with a key began.
  private func noteBeginning(of key: AnyHashable, interval: Int64) {
    let now = clock.now
    let alarm = pending.addInterval(of: key, until: now.addingSaturated(interval))
    if let old = keys.noteBeginning(of: key, at: now, until: alarm) { pending.removeInterval(old) }
  }

  /// Lets delays, limits and intervals end whose time has come.
  func letTimePass() {
    guard pending.earliestAlarm != nil else { return }
    for key in pending.letTimePass(until: clock.now) {
      keys.forgetBeginning(of: key)
      garbage.append(.key(key))
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

  // MARK: Keeping the loop awake

  /// Keeps runs alive in the modes of a task that has come in or was amended, and awake.
  @inline(__always)
  private func keepAlive(for task: RunLoopTask) {
    guard task.mode != .several, runs.isAttached(task.mode), !runs.isAboutToSleep else { return attach(task) }
  }

  @inline(never)
  private func attach(_ task: RunLoopTask) {
    for mode in task.modes { attach(mode) }
  }

  private func attach(_ mode: ModeID) {
    let wasAttached = runs.isAttached(mode)
    if wasAttached, !runs.isAboutToSleep { return }
    let new = wasAttached ? [] : attachment.withLock { $0.attach(modes.keepAlive(mode)) }
    runs.setAttached(mode, true)
    let current = currentMode()
    if current != nil { for keepAlive in new { runs.noteFirstSeen(id(of: keepAlive.mode)) } }
    let isServed = current.map { $0 == mode || mode == .common && isCommon($0) } ?? false
    guard runs.attach(mode, current: current, isServed: isServed, wasAttached: wasAttached, isNew: !new.isEmpty) else {
      return
    }
    makeDue(mode, after: 0)
    wake()
  }
}
