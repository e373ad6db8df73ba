/// What other threads have sent and the loop's own thread has not read: a log in the order of time. The lock around
/// `LoopAttachment` guards it.
///
/// The loop's thread replays the log, as if each call had been made on that thread at its date. Of the tasks that were
/// sent with equal keys only the latest is kept, in the message of the first of them.
struct Mailbox {
  struct Message {
    /// When it was sent, on the task clock. No message has an earlier date than the one before it.
    let date: Int64
    var content: Content
  }

  enum Content {
    /// A task, which may first cancel the loop's own task with its key instead of replacing that.
    case task(RunLoopTask, cancelsFirst: Bool = false)
    /// Indirect, because the other messages are much more frequent and smaller.
    indirect case amendment(RunLoopTask, Amendment)
    /// Cancels the pending task with a key, and releases an unread one that was cancelled so.
    case cancellation(TaskKey, releasing: RunLoopTask?)
    /// Releases the closure of a task that was cancelled.
    case release(RunLoopTask)
    /// Releases the closures of all tasks that were cancelled together.
    case releaseOutdated

    /// Calls `body` with each of the modes that the message attaches.
    func forEachMode(_ body: (ModeID) -> Void) {
      switch self {
      case .task(let task, _): task.forEachMode(body)
      case .amendment(_, .modes(let modes)): modes.forEach(body)
      default: break
      }
    }
  }

  private(set) var messages: [Message] = []
  private var latestDate = Int64.min
  /// For each key the message with the task that was sent with it, or with its cancellation; `nil` once a task was
  /// given the key by a message of its own, which the next task with the key must not overtake.
  private var slots: [TaskKey: Int?] = [:]
  /// The tasks that messages amend. Until these are read, it is not known what another task would take over.
  private var amended: Set<ObjectIdentifier> = []

  var isEmpty: Bool { messages.isEmpty }

  /// The keys that only the mailbox may still refer to. Their release may run any code.
  var keys: [TaskKey] { Array(slots.keys) }

  /// Empties the mailbox.
  ///
  /// - Returns: the mailbox as it was.
  mutating func take() -> Mailbox {
    defer { self = Mailbox() }
    return self
  }

  /// What a message has taken out of the log. The sender releases it without the lock, as that may run any code.
  struct Leftover {
    var content: Content?
    /// A task that the message has cancelled, and whose contents the sender releases.
    var cancelledTask: RunLoopTask?
  }

  /// Adds what another thread sends.
  mutating func add(_ message: Content, at date: Int64) -> Leftover {
    latestDate = max(date, latestDate)
    switch message {
    case .task(let task, _):
      if let key = task.key, let slot = takeSlot(of: key) { return replace(slot, by: task) }
    case .cancellation(let key, _):
      guard let slot = takeSlot(of: key) else { break }
      // The task has replaced the loop's own task with the key, which the cancellation cancels now.
      let old = messages[slot].content
      guard case .task(let task, _) = old else { return Leftover() }
      messages[slot].content = .cancellation(key, releasing: mustRelease(task) ? task : nil)
      return Leftover(content: old)
    case .amendment(let task, let amendment):
      if case .key(let key) = amendment, slots[key] != nil { slots[key] = .some(nil) }
      if !slots.isEmpty { amended.insert(ObjectIdentifier(task)) }
    case .releaseOutdated:
      if case .releaseOutdated = messages.last?.content { return Leftover() }
    case .release: break
    }
    messages.append(Message(date: latestDate, content: message))
    return Leftover()
  }

  /// The message that a task with a key replaces, or its cancellation. If there is none, the next message is the key's.
  /// A task that was cancelled together with all others leaves nothing to take over.
  private mutating func takeSlot(of key: TaskKey) -> Int? {
    if !slots.isEmpty, let slot = slots[key] ?? nil {
      guard case .task(let task, _) = messages[slot].content else { return slot }
      if !amended.contains(ObjectIdentifier(task)), !task.isOutdated { return slot }
    }
    slots[key] = messages.count
    return nil
  }

  /// Cancels a task that the log drops.
  ///
  /// - Returns: whether to release its contents. Whoever has cancelled it alone does that, but not `cancelAll()`. Then a
  ///   closure that is `Sendable` goes with the task.
  private func mustRelease(_ task: RunLoopTask) -> Bool {
    task.leavePending(for: .cancelled) || !task.hasSendableClosure
  }

  /// Lets a task take over the limit of the task in a message, and its place if both have one. Otherwise it gets a
  /// place of its own when that would be without the replaced task: now, or at the end of its delay.
  private mutating func replace(_ slot: Int, by task: RunLoopTask) -> Leftover {
    let (old, date) = (messages[slot].content, messages[slot].date)
    var (placeDate, cancelsFirst, cancelled) = (latestDate, true, RunLoopTask?.none)
    switch old {
    case .task(let old, let oldCancelsFirst):
      if old.state == .pending {
        if old.hasPlace(at: latestDate) { placeDate = old.options.map { min($0.delayEnd, $0.leastLimitEnd) } ?? .min }
        task.inheritLimit(of: old)
        cancelsFirst = oldCancelsFirst
      }
      if mustRelease(old) { cancelled = old }
    case .cancellation(_, let old): cancelled = old
    default: break
    }
    if placeDate > date, task.hasPlace(at: latestDate) { task.makeOptions().delayEnd = placeDate }
    messages[slot].content = .task(task, cancelsFirst: cancelsFirst)
    // Only the loop's thread may release a closure that is not `Sendable`.
    if let task = cancelled, !task.hasSendableClosure {
      messages.append(Message(date: latestDate, content: .release(task)))
      cancelled = nil
    }
    return Leftover(content: old, cancelledTask: cancelled)
  }
}
