import Foundation

/// What other threads have sent and the loop's own thread has not read: a log in the order of time. The lock around
/// `LoopAttachment` guards it.
///
/// The loop's thread replays the log, as if each call had been made on that thread at its date. Three rules keep the log
/// short. A caller can notice them only if an unread task loses its key or its place: the replay then acts as if the task
/// had never had it.
///
/// - A task that is in the log is amended there. The lock therefore also guards the variables of these tasks.
/// - Of the tasks in the log with equal keys only the latest is kept, in the place of the one that it replaces. A task
///   gets its key by a message of its own, which stays where the key was given. What other threads do to the keys of the
///   loop's own tasks thus keeps its order.
/// - Messages that have become empty are dropped when they are more than the others.
struct Mailbox {
  struct Message {
    /// When it was sent, on the task clock. No message has an earlier date than the one before it.
    var date: Int64
    var content: Content
  }

  enum Content {
    case task(RunLoopTask)
    /// Indirect, because the other messages are much more frequent and smaller.
    indirect case amendment(RunLoopTask, Amendment)
    /// Cancels the pending task with a key.
    case cancellation(TaskKey)
    /// Releases the closure of a task that was cancelled.
    case release(RunLoopTask)
    /// Releases the closures of all tasks that were cancelled together.
    case releaseOutdated
    /// Gives a task that came by an earlier message its key. Only the mailbox makes these and the empty ones.
    case key(RunLoopTask)
    case empty

    /// Calls `body` with each of the modes that the message attaches.
    @inline(__always)
    func forEachMode(_ body: (ModeID) -> Void) {
      switch self {
      case .task(let task): task.forEachMode(body)
      case .amendment(_, .modes(let modes)): modes.forEach(body)
      default: break
      }
    }
  }

  /// What the log says of a key.
  private struct KeyState {
    /// The index of the message that gives the key to a task of the log.
    var message: Int?
    /// Whether the log cancels the loop's own task with the key.
    var isCancelled = false
  }

  private(set) var messages: [Message] = []
  private var latestDate = Int64.min
  private var emptyCount = 0
  private var keys: [TaskKey: KeyState] = [:]
  private var releasesOutdated = false
  /// Objects that nothing in the log needs any more.
  private var leftovers: [Any] = []

  var isEmpty: Bool { messages.isEmpty }

  /// All keys of the log.
  var usedKeys: [TaskKey] { Array(keys.keys) }

  /// Empties the mailbox.
  ///
  /// - Returns: the mailbox as it was.
  mutating func take() -> Mailbox {
    defer { self = Mailbox() }
    return self
  }

  /// Takes out the objects that the last changes have left.
  mutating func takeLeftovers() -> [Any] {
    defer { leftovers = [] }
    return leftovers
  }

  /// Adds what another thread sends.
  mutating func add(_ message: Content, at date: Int64) {
    switch message {
    case .task(let task): add(task, at: date)
    case .amendment(let task, let amendment): amend(task, amendment, at: date)
    case .cancellation(let key): cancelTask(with: key, at: date)
    case .release(let task): release(task, at: date)
    case .releaseOutdated: releaseOutdated(at: date)
    case .key, .empty: append(message, at: date)
    }
  }

  private mutating func append(_ content: Content, at date: Int64) {
    latestDate = max(date, latestDate)
    messages.append(Message(date: latestDate, content: content))
  }

  // MARK: Tasks

  mutating func add(_ task: RunLoopTask, at date: Int64) {
    task.mailIndex = Int32(clamping: messages.count)
    append(.task(task), at: date)
    if let key = task.key { give(key, to: task, at: date) }
  }

  func contains(_ task: RunLoopTask) -> Bool {
    let index = Int(task.mailIndex)
    guard messages.indices.contains(index), case .task(let other) = messages[index].content else { return false }
    return other === task
  }

  mutating func amend(_ task: RunLoopTask, _ amendment: Amendment, at date: Int64) {
    guard contains(task), hasLatestKey(task) else {
      // The task may begin before the message is read. It then takes its key from no task of the log.
      if case .key(let key) = amendment { forget(key) }
      return append(.amendment(task, amendment), at: date)
    }
    switch amendment {
    case .timing(let timing): task.timing = timing
    case .modes(let modes): task.setModeIDs(modes)
    case .order(let order): task.madeOptions.order = order
    case .delay(let end): setDelayEnd(of: task, to: end, at: date)
    case .limit(let end): setLimitEnd(of: task, to: end, at: date)
    case .key(let key):
      takeKey(of: task)
      if key.isEqualToItself { give(key, to: task, at: date) }
    }
  }

  /// Sets a delay. The task comes in anew, because a delay changes its place in line.
  private mutating func setDelayEnd(of task: RunLoopTask, to end: Int64, at date: Int64) {
    guard end > date || !task.hasPlace(at: date) else { return }
    task.madeOptions.delayEnd = end
    let key = task.key
    if let key { removeMessage(giving: key, to: task) }
    removeMessage(at: Int(task.mailIndex))
    task.mailIndex = Int32(clamping: messages.count)
    append(.task(task), at: date)
    if let key { appendMessage(giving: key, to: task, at: date) }
  }

  /// Sets a limit. If an earlier limit has passed, it has ended the delay.
  private func setLimitEnd(of task: RunLoopTask, to end: Int64, at date: Int64) {
    let options = task.madeOptions
    if options.limitEnd <= date { options.delayEnd = min(options.delayEnd, options.limitEnd) }
    options.limitEnd = end
  }

  /// Asks the loop's thread to release a task that another thread has cancelled.
  mutating func release(_ task: RunLoopTask, at date: Int64) {
    // The loop's thread finds a task of the log cancelled.
    if !contains(task) { append(.release(task), at: date) }
  }

  mutating func releaseOutdated(at date: Int64) {
    if !releasesOutdated { append(.releaseOutdated, at: date) }
    releasesOutdated = true
  }

  /// Removes the message of a task that nobody needs any more, or leaves its release to the loop's thread.
  private mutating func remove(_ task: RunLoopTask, at index: Int) {
    guard task.hasSendableClosure else { return messages[index].content = .release(task) }
    leftovers += [task, task.closure.take() as Any, task.key.take() as Any]
    removeMessage(at: index)
  }

  private mutating func removeMessage(at index: Int) {
    messages[index].content = .empty
    emptyCount += 1
    while case .empty? = messages.last?.content {
      messages.removeLast()
      emptyCount -= 1
    }
    if emptyCount > 32, 2 * emptyCount > messages.count { dropEmpty() }
  }

  private mutating func dropEmpty() {
    var indices: [Int] = []
    var new: [Message] = []
    for message in messages {
      indices.append(new.count)
      if case .empty = message.content { continue }
      if case .task(let task) = message.content { task.mailIndex = Int32(clamping: new.count) }
      new.append(message)
    }
    keys = keys.mapValues { KeyState(message: $0.message.map { indices[$0] }, isCancelled: $0.isCancelled) }
    (messages, emptyCount) = (new, 0)
  }

  // MARK: Keys

  /// Cancels the task with a key. A task of the log is cancelled at once, and any other when the message is read.
  mutating func cancelTask(with key: TaskKey, at date: Int64) {
    if let index = keys[key]?.message, case .key(let task) = messages[index].content, !task.cancelIfOutdated() {
      // The message that gives it the key cancels the loop's own task with the key.
      _ = task.leavePending(for: .cancelled)
    } else if keys[key]?.isCancelled != true {
      keys[key, default: KeyState()].isCancelled = true
      append(.cancellation(key), at: date)
    }
  }

  /// Gives a key to a task of the log, which replaces another task of the log with the key.
  private mutating func give(_ key: TaskKey, to task: RunLoopTask, at date: Int64) {
    task.key = key
    if let index = keys[key]?.message, case .key(let old) = messages[index].content {
      let wasOutdated = old.cancelIfOutdated()
      if old.leavePending(for: .cancelled) {
        task.inheritLimit(of: old)
        if old.hasPlace(at: date), task.hasPlace(at: date) {
          return move(task, toPlaceOf: old, with: index)
        }
      } else if !wasOutdated, keys[key]?.isCancelled == false, let oldKey = old.key {
        // It was cancelled alone. Before that, it had replaced the loop's own task.
        messages[index].content = .cancellation(oldKey)
        keys[key] = KeyState(isCancelled: true)
      }
      removeMessage(giving: key, to: old)
      remove(old, at: Int(old.mailIndex))
    }
    appendMessage(giving: key, to: task, at: date)
  }

  /// Moves a task to the place of the task that it replaces, and to the message that gave that one the key.
  private mutating func move(_ task: RunLoopTask, toPlaceOf old: RunLoopTask, with index: Int) {
    let own = Int(task.mailIndex)
    task.mailIndex = old.mailIndex
    messages[Int(old.mailIndex)].content = .task(task)
    messages[index].content = .key(task)
    // If the place is that of the end of a delay, the task gets it then.
    let delayEnd = old.options?.delayEnd ?? .min
    if delayEnd > .min || task.options != nil { task.madeOptions.delayEnd = delayEnd }
    remove(old, at: own)
  }

  private mutating func appendMessage(giving key: TaskKey, to task: RunLoopTask, at date: Int64) {
    keys[key, default: KeyState()].message = messages.count
    append(.key(task), at: date)
  }

  /// Removes the message that gives a key to a task, if there is one.
  private mutating func removeMessage(giving key: TaskKey, to task: RunLoopTask) {
    guard let index = keys[key]?.message, case .key(let other) = messages[index].content, other === task else { return }
    keys[key]?.message = nil
    removeMessage(at: index)
  }

  /// Takes a key away from a task of the log, which then has never had it.
  private mutating func takeKey(of task: RunLoopTask) {
    guard let key = task.key.take() else { return }
    removeMessage(giving: key, to: task)
    leftovers.append(key)
    if keys[key]?.isCancelled == false { forget(key) }
  }

  /// Whether a task of the log has no key, or one that none of the loop's own tasks was given later.
  private func hasLatestKey(_ task: RunLoopTask) -> Bool {
    guard let key = task.key else { return true }
    guard let index = keys[key]?.message, case .key(let other) = messages[index].content else { return false }
    return other === task
  }

  /// Forgets the tasks of the log with a key. A task that comes later does not replace them before they are read.
  private mutating func forget(_ key: TaskKey) {
    if let index = keys.index(forKey: key) { leftovers.append(keys.remove(at: index).key) }
  }
}
