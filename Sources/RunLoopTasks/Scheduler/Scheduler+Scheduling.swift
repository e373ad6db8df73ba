import CoreFoundation
import Foundation

// What comes in: tasks, changes to them, and their end. On the loop's own thread all of it takes effect at once; from other
// threads it goes through the mail, which the loop's thread reads before it does anything else.
extension Scheduler {
  /// Schedules a closure on the loop's own thread, for the default timing and mode.
  func perform(_ closure: @escaping () -> Void, fileID: StaticString, line: UInt) -> RunLoopTask {
    guard hasLoop else { return RunLoopTask(self, fileID: fileID, line: line, closure: nil) }
    readMail()  // before the task is made: so that all cancelling that is read is older, or has nothing to do with it
    let task = RunLoopTask(self, fileID: fileID, line: line, closure: closure)
    task.enterPending(onLoopThread: true)
    enqueue(task, in: usualLane)
    if !released.isEmpty { releaseClosures() }
    return task
  }

  /// Schedules a closure from any thread.
  func perform(
    _ closure: @escaping @Sendable () -> Void, when timing: RunLoopTask.Timing, forModes modes: [RunLoop.Mode],
    coalescedBy key: (any Hashable & Sendable)? = nil, fileID: StaticString, line: UInt
  ) -> RunLoopTask {
    let isOnLoopThread = isCurrent
    if isOnLoopThread { readMail() }  // as above
    let task = RunLoopTask(self, fileID: fileID, line: line, closure: closure)
    task.enterPending(onLoopThread: isOnLoopThread)
    if isOnLoopThread {
      enqueue(Post(task: task, timing: timing, modes: modes, key: key.map(PostedKey.init)))
      releaseClosures()
    } else if !post(.schedule(Post(task: task, timing: timing, modes: modes, key: key.map(PostedKey.init)))) {
      _ = task.leavePending(for: .cancelled, onLoopThread: isOnLoopThread)
      task.closure = nil  // nobody else has the task yet
    }
    return task
  }

  /// Whether a task has that timing already, as far as the loop's own thread knows.
  func isInLine(_ task: RunLoopTask, for timing: RunLoopTask.Timing) -> Bool {
    guard isCurrent, !hasMail.load(ordering: .relaxed) else { return false }
    return task.timing == timing
  }

  /// Changes a task, from any thread.
  func amend(_ task: RunLoopTask, _ amendment: Amendment) {
    guard task.state == .pending else { return }
    guard isCurrent else {
      _ = post(.amend(task, amendment))
      return
    }
    readMail()
    apply(amendment, to: task)
    releaseClosures()
  }

  /// Lets go of a task that was cancelled, from any thread.
  func discard(_ task: RunLoopTask, onLoopThread: Bool) {
    guard onLoopThread else {
      _ = post(.discard(task))
      return
    }
    withdraw(task)
    releaseClosures()
    task.closure = nil  // all is in order, so this need not wait
  }

  /// Cancels all that is pending, from any thread.
  func cancelAll() {
    generations.beginNext()
    guard isCurrent else {
      _ = post(.discardOutdated)
      return
    }
    readMail()
    discardOutdated()
    releaseClosures()
  }

  /// Lets the loop's own thread answer a question, when it gets to it.
  ///
  /// - Returns: `false` if the loop has ended.
  func ask(_ question: @escaping @Sendable () -> Void) -> Bool { post(.ask(question)) }

  // MARK: Releasing

  // What a closure captured may do anything when it goes, run the loop included; and so may a key. So they are let go of only
  // once all is in order again, and where the loop may be run.

  private func releaseLater(_ task: RunLoopTask) {
    if let closure = task.closure { released.append(closure) }
    task.closure = nil
  }

  func releaseClosures() {
    guard !released.isEmpty else { return }
    let old = released
    released = []
    withExtendedLifetime(old) {}
  }

  // MARK: Mail

  private func post(_ mail: Mail) -> Bool {
    let receipt = attachment.withLock { attachment in
      // Before the loop is woken: it may look at once, and a wake-up that comes while it is awake is ignored.
      hasMail.store(true, ordering: .releasing)
      let receipt = attachment.post(mail)
      if receipt == .mustWake { bell.lock() }
      return receipt
    }
    if receipt == .mustWake {
      wake()
      bell.unlock()
    }
    return receipt != .refused
  }

  /// Does what other threads have asked for.
  func readMail() {
    guard hasMail.load(ordering: .acquiring) else { return }
    // Mail is a reason from elsewhere, not one that this thread gives itself in each pass.
    for index in runs.indices { runs[index].looks.reset() }
    let mail = attachment.withLock {
      hasMail.store(false, ordering: .releasing)
      return $0.takeMail()
    }
    var questions: [@Sendable () -> Void] = []
    var hasKeys = false
    for item in mail {
      switch item {
      case .schedule(let post):
        // One that was cancelled alone has replaced another before; one that was cancelled with all the others has not.
        if post.key != nil { hasKeys = true }
        if !post.task.cancelIfOutdated() { enqueue(post) }
        if post.task.state != .pending {
          withdraw(post.task)
          releaseLater(post.task)
        }
      case .amend(let task, let amendment):
        if case .key = amendment { hasKeys = true }
        apply(amendment, to: task)
      case .discard(let task):
        withdraw(task)
        releaseLater(task)
      case .discardOutdated:
        discardOutdated()
      case .ask(let question):
        questions.append(question)
      }
    }
    if attachment.withLock({ $0.releaseMail() }) { noteEmptiedMode() }
    if hasKeys { released.append(mail) }
    for question in questions { question() }
  }

  // MARK: Lanes

  private func apply(_ amendment: Amendment, to task: RunLoopTask) {
    guard let lane = task.lane, task.state == .pending else { return }
    switch amendment {
    case .timing(let timing): move(task, to: timing, in: lane.modes)
    case .modes(let modes): move(task, to: lane.timing, in: modeSet(modes))
    case .key(let key): coalesce(task, by: AnyHashable(key.value))
    }
  }

  private func enqueue(_ post: Post) {
    let task = post.task
    let modes = modeSet(post.modes)
    // A set of several modes is kept by nobody else before a lane of it has tasks.
    withExtendedLifetime(modes) { enqueue(task, in: modes[post.timing]) }
    if let key = post.key { coalesce(task, by: AnyHashable(key.value)) }
  }

  private func enqueue(_ task: RunLoopTask, in lane: Lane) {
    task.order = nextOrder
    nextOrder += 1
    if lane.isEmpty { open(lane) }
    lane.append(task)
    if isPastLastCheck { stayAwake() }
  }

  private func insert(_ task: RunLoopTask, _ timing: RunLoopTask.Timing, in modes: ModeSet) {
    let lane = modes[timing]
    if lane.isEmpty { open(lane) }
    lane.insert(task)
    rearrangements += 1
    if isPastLastCheck { stayAwake() }
  }

  private func move(_ task: RunLoopTask, to timing: RunLoopTask.Timing, in modes: ModeSet) {
    guard let old = task.lane, old !== modes[timing] else { return }
    old.remove(task)
    insert(task, timing, in: modes)
    // Only now, so that a mode which both lanes have is not let go of in between.
    if old.isEmpty { close(old) }
  }

  /// Takes a task out of line.
  func withdraw(_ task: RunLoopTask) {
    if task.isMarked {
      forgetKey(of: task)
      marks[ObjectIdentifier(task)] = nil
      task.isMarked = false
    }
    guard let lane = task.lane else { return }
    lane.remove(task)
    if lane.isEmpty { close(lane) }
  }

  private func discardOutdated() {
    for task in pendingTasks().filter({ $0.cancelIfOutdated() }) {
      withdraw(task)
      releaseLater(task)
    }
  }

  private func coalesce(_ task: RunLoopTask, by key: AnyHashable) {
    forgetKey(of: task)
    guard key == key else { return }  // like a floating-point NaN, it equals none
    let replaced = keys[key]
    if let replaced { forgetKey(of: replaced) }
    keys[key] = task
    task.mark.key = key
    // If another thread has just cancelled it, then it has no place to give, and that thread's mail lets go of it.
    guard let replaced, replaced.leavePending(for: .cancelled, onLoopThread: true), let lane = task.lane
    else { return }
    releaseLater(replaced)
    task.mark.ready = nextOrder
    task.order = replaced.order
    nextOrder += 1
    lane.remove(task)
    if replaced.lane === lane { lane.insert(task, inPlaceOf: replaced) } else { lane.insert(task) }
    withdraw(replaced)  // and forget its mark, even if it is no longer in line
  }

  private func forgetKey(of task: RunLoopTask) {
    guard let key = task.key else { return }
    task.mark.key = nil
    released.append(key)  // which is the one that `keys` has, too
    keys[key] = nil
  }

  /// The set of the given modes.
  private func modeSet(_ modes: [RunLoop.Mode]) -> ModeSet {
    if modes.count == 1 { return modeSet(modes[0]) }
    let names = Set(modes)
    if names.count == 1 { return modeSet(modes[0]) }
    if let set = several[names] { return set }
    return ModeSet(names.map { modeSet($0).entries[0] })
  }

  func modeSet(_ mode: RunLoop.Mode) -> ModeSet {
    if mode == .default { return `default` }
    if let set = single[mode] { return set }
    let set = ModeSet([ModeEntry(mode, attachment.withLock { $0.anchor(of: mode) })])
    add(set)
    return set
  }

  /// Makes a lane that gets its first task known to its modes, and holds those that had none.
  func open(_ lane: Lane) {
    lane.withModes { open($0) }
  }

  private func open(_ set: ModeSet) {
    openLanes += 1
    set.openLanes += 1
    if set.openLanes == 1, set.entries.count > 1 {
      several[Set(set.entries.map(\.mode))] = set
      for entry in set.entries { entry.add(set) }
    }
    set.forEachEntry { entry in
      entry.openLanes += 1
      guard entry.openLanes == 1 else { return }
      provideHearers()  // for a run whose entry was not observed
      // If this happens at an activity, the new observers hear only of the next one.
      let isNew = attachment.withLock { $0.hold(entry.anchor, for: .lanes) }
      if isNew { isPastLastCheck = true }
      // A run of a mode that has become a common one meanwhile may be under way.
      if !entry.isFollowed || entry === commonMode { follow(entry, isNew: isNew) }
    }
  }

  /// The opposite of `open`, for a lane that has lost its last task.
  func close(_ lane: Lane) {
    _ = lane.withModes { close($0) }
  }

  /// - Returns: the set, if nothing keeps it any more.
  private func close(_ set: ModeSet) -> ModeSet? {
    openLanes -= 1
    set.forEachEntry { entry in
      entry.openLanes -= 1
      guard entry.openLanes == 0, attachment.withLock({ $0.release(entry.anchor, for: .lanes) }) else { return }
      noteEmptiedMode()
      // The timer would keep the mode alive.
      if disarm(entry) { wake() }
    }
    set.openLanes -= 1
    guard set.openLanes == 0, set.entries.count > 1 else { return nil }
    for entry in set.entries { entry.remove(set) }
    return several.removeValue(forKey: Set(set.entries.map(\.mode)))
  }
}
