import Foundation

/// The messages of other threads that the loop's own thread has not read. The lock around `LoopAttachment` guards it.
///
/// A new task replaces a task with the same key in the mailbox, unless a thread has given the key to one of the loop's
/// own tasks in between. The lock also guards the variables of the tasks that are in the mailbox.
struct Mailbox {
  enum Message {
    case schedule(RunLoopTask, [RunLoop.Mode])
    case amend(RunLoopTask, Amendment)
    /// Release the closure of a task that was cancelled.
    case discard(RunLoopTask)
    /// Release the closures of all tasks that were cancelled together.
    case discardOutdated
    /// Cancel the pending task with a key, if it got the key before.
    case cancel(TaskKey, KeyNumber)
    /// An empty place. Its task was moved or replaced.
    case empty
  }

  /// Objects that the caller releases without the lock, because their release may run any code.
  struct Leftovers {
    fileprivate(set) var tasks: [RunLoopTask] = []
    fileprivate(set) var closures: [() -> Void] = []
    fileprivate(set) var keys: [TaskKey] = []
  }

  private var messages: [Message] = []
  /// The index of the task with each key.
  private var indices: [TaskKey: Int] = [:]
  /// The number of empty messages.
  private var emptyCount = 0
  /// The keys of tasks that were cancelled in the mailbox, each of which has a message.
  private var cancelledKeys: Set<TaskKey> = []
  private var latestKeyNumber: KeyNumber = 0
  /// The index of the latest message that changes a key, -1 if there is none.
  private var latestKeyChange = -1
  private var leftovers = Leftovers()

  var isEmpty: Bool { messages.isEmpty }

  /// Takes out everything.
  mutating func takeAll() -> (messages: [Message], keys: [TaskKey]) {
    defer { (messages, indices, emptyCount, cancelledKeys, latestKeyChange) = ([], [:], 0, [], -1) }
    return (messages, Array(indices.keys))
  }

  /// Takes out the objects that the last changes have left.
  mutating func takeLeftovers() -> Leftovers {
    defer { leftovers = Leftovers() }
    return leftovers
  }

  mutating func add(_ message: Message) {
    if case .discardOutdated = message, case .discardOutdated? = messages.last { return }
    messages.append(message)
  }

  /// Cancels the task with a key. A task in the mailbox is cancelled at once, and any other task when the loop's thread
  /// reads the message.
  mutating func cancelTask(with key: TaskKey) {
    if let index = indices[key], case .schedule(let task, _) = messages[index], !task.cancelIfOutdated() {
      // When the loop's thread reads the message of the cancelled task, it cancels an older task with the key as well.
      if task.leavePending(for: .cancelled, onLoopThread: false) || task.state == .cancelled { return }
    }
    add(.cancel(key, nextKeyNumber()))
  }

  /// Takes in a task.
  mutating func schedule(_ task: RunLoopTask, _ modes: [RunLoop.Mode]) {
    task.mailIndex = Int32(clamping: messages.count)
    messages.append(.schedule(task, modes))
    if let key = task.key { replaceTask(with: key, by: task, modes) }
  }

  /// Changes a task. If it is in the mailbox, it is changed there, unless its key would overtake another change of a key.
  mutating func amend(_ task: RunLoopTask, _ amendment: Amendment) {
    guard let modes = modes(of: task) else { return addAmendment(of: task, amendment) }
    switch amendment {
    case .timing(let timing): task.timing = timing
    case .modes(let modes): messages[Int(task.mailIndex)] = .schedule(task, modes)
    case .order(let order): task.madeOptions.order = order
    case .delay(let date): task.madeOptions.delayEnd = date
    case .limit(let date): task.madeOptions.limitEnd = date
    case .key(let new):
      if let key = task.key, indices[key] == Int(task.mailIndex) { forgetIndex(of: key) }
      if task.mailIndex < latestKeyChange { return addAmendment(of: task, amendment) }
      if let old = task.key.take() { leftovers.keys.append(old) }
      guard new.isEqualToItself else { return }
      task.key = new
      replaceTask(with: new, by: task, modes)
    }
  }

  private mutating func addAmendment(of task: RunLoopTask, _ amendment: Amendment) {
    if case .key(let key) = amendment {
      latestKeyChange = messages.count
      // A task that comes later with the same key must stay behind this message, and so must a cancellation.
      forgetIndex(of: key)
      if let key = cancelledKeys.remove(key) { leftovers.keys.append(key) }
    }
    messages.append(.amend(task, amendment))
  }

  /// The modes of a task, if it is in the mailbox.
  func modes(of task: RunLoopTask) -> [RunLoop.Mode]? {
    let index = Int(task.mailIndex)
    guard messages.indices.contains(index), case .schedule(let other, let modes) = messages[index] else { return nil }
    return other === task ? modes : nil
  }

  /// Replaces the task with a key, and gives its place to the new task.
  private mutating func replaceTask(with key: TaskKey, by task: RunLoopTask, _ modes: [RunLoop.Mode]) {
    task.keyNumber = nextKeyNumber()
    let own = Int(task.mailIndex)
    guard let index = indices[key], index != own, case .schedule(let old, _) = messages[index], !old.cancelIfOutdated()
    else {
      indices[key] = own
      return
    }
    let wasPending = old.leavePending(for: .cancelled, onLoopThread: false)
    if wasPending, old.hasPlace {
      if own == messages.count - 1 { messages.removeLast() } else { makeEmpty(own) }
      messages[index] = .schedule(task, modes)
      task.mailIndex = Int32(clamping: index)
    } else {
      // A task that waits or was cancelled has no place to give. A cancelled task has replaced the loop's own task.
      makeEmpty(index)
      if !wasPending, cancelledKeys.insert(key).inserted {
        (messages[index], emptyCount) = (.cancel(key, old.keyNumber), emptyCount - 1)
      }
      indices[key] = own
    }
    release(old)
    if emptyCount > 32, 2 * emptyCount > messages.count { dropEmpty() }
  }

  /// Releases a task that is no longer in the mailbox.
  private mutating func release(_ task: RunLoopTask) {
    guard task.hasSendableClosure else { return messages.append(.discard(task)) }
    leftovers.tasks.append(task)
    if let closure = task.closure.take() { leftovers.closures.append(closure) }
    if let key = task.key.take() { leftovers.keys.append(key) }
  }

  private mutating func forgetIndex(of key: TaskKey) {
    if let index = indices.index(forKey: key) { leftovers.keys.append(indices.remove(at: index).key) }
  }

  private mutating func nextKeyNumber() -> KeyNumber {
    latestKeyNumber += 1
    return latestKeyNumber
  }

  private mutating func makeEmpty(_ index: Int) {
    messages[index] = .empty
    emptyCount += 1
  }

  private mutating func dropEmpty() {
    var indices: [Int] = []
    var new: [Message] = []
    for message in messages {
      indices.append(new.count)
      if case .empty = message { continue }
      if case .schedule(let task, _) = message { task.mailIndex = Int32(clamping: new.count) }
      new.append(message)
    }
    self.indices = self.indices.mapValues { indices[$0] }
    if latestKeyChange >= 0 { latestKeyChange = indices[latestKeyChange] }
    (messages, emptyCount) = (new, 0)
  }
}
