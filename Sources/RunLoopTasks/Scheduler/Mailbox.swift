import Foundation

/// What other threads have sent to a loop and its own thread has not read. Guarded by the lock around `LoopAttachment`.
///
/// Of the tasks in the mailbox never more than one has a given key: a new one replaces the other there. The variables of a task
/// that is in the mailbox are guarded by the lock, too.
struct Mailbox {
  enum Message: Sendable {
    case schedule(RunLoopTask, [RunLoop.Mode])
    case amend(RunLoopTask, Amendment)
    /// Release the closure of a task that was cancelled.
    case discard(RunLoopTask)
    /// Release the closures of all tasks that were cancelled together.
    case discardOutdated
    /// Cancel the pending task with a key.
    case cancel(TaskKey)
    /// Nothing: the task was moved to another place.
    case moved
  }

  private var messages: [Message] = []
  /// Where in the mailbox the task with a key is.
  private var indices: [AnyHashable: Int] = [:]
  /// Where the latest cancellation of a key is.
  private var latestCancellation = -1

  var isEmpty: Bool { messages.isEmpty }

  /// Takes out everything.
  mutating func takeAll() -> (messages: [Message], keys: [AnyHashable]) {
    defer { (messages, indices, latestCancellation) = ([], [:], -1) }
    return (messages, Array(indices.keys))
  }

  mutating func add(_ message: Message) {
    if case .discardOutdated = message, case .discardOutdated? = messages.last { return }
    messages.append(message)
  }

  /// Cancels the task with a key: the one in the mailbox at once, one that the loop's thread has when that reads this.
  mutating func cancelTask(with key: TaskKey) {
    if let index = indices[key.value], case .schedule(let task, _) = messages[index] {
      _ = task.leavePending(for: .cancelled, onLoopThread: false)
    }
    add(.cancel(key))
    latestCancellation = messages.count - 1
  }

  /// Takes in a task.
  ///
  /// - Returns: a task that was replaced and whose closure the caller releases, without the lock.
  mutating func schedule(_ task: RunLoopTask, _ modes: [RunLoop.Mode]) -> RunLoopTask? {
    task.mailIndex = Int32(clamping: messages.count)
    messages.append(.schedule(task, modes))
    guard let key = task.options?.key else { return nil }
    return replaceTask(with: key, by: task, modes)
  }

  /// Changes a task. If it is in the mailbox, it is changed there.
  ///
  /// - Returns: as `schedule`.
  mutating func amend(_ task: RunLoopTask, _ amendment: Amendment) -> RunLoopTask? {
    guard let modes = modes(of: task), latestCancellation < Int(task.mailIndex) else {
      // A key that comes after a cancellation must not be there before it.
      messages.append(.amend(task, amendment))
      return nil
    }
    switch amendment {
    case .timing(let timing): task.timing = timing
    case .modes(let modes): messages[Int(task.mailIndex)] = .schedule(task, modes)
    case .order(let order): task.madeOptions.order = order
    case .delay(let date): task.madeOptions.delayEnd = date
    case .limit(let date): task.madeOptions.limitEnd = date
    case .key(let new):
      guard new.isEqualToItself else { return nil }
      if let old = task.options?.key, indices[old] == Int(task.mailIndex) { indices[old] = nil }
      (task.madeOptions.key, task.madeOptions.interval) = (new.value, new.interval)
      return replaceTask(with: new.value, by: task, modes)
    }
    return nil
  }

  /// The modes of a task, if it is in the mailbox.
  func modes(of task: RunLoopTask) -> [RunLoop.Mode]? {
    let index = Int(task.mailIndex)
    guard messages.indices.contains(index), case .schedule(let other, let modes) = messages[index] else { return nil }
    return other === task ? modes : nil
  }

  /// Gives a task the key, and the place of the task that has it.
  private mutating func replaceTask(
    with key: AnyHashable, by task: RunLoopTask, _ modes: [RunLoop.Mode]
  ) -> RunLoopTask? {
    let own = Int(task.mailIndex)
    guard let index = indices[key], index != own, case .schedule(let old, _) = messages[index],
      old.leavePending(for: .cancelled, onLoopThread: false)
    else {
      indices[key] = own
      return nil
    }
    if own == messages.count - 1 { messages.removeLast() } else { messages[own] = .moved }
    messages[index] = .schedule(task, modes)
    task.mailIndex = Int32(clamping: index)
    if old.hasSendableClosure { return old }
    messages.append(.discard(old))
    return nil
  }
}

/// A change to a pending task. Dates are those of the task clock.
enum Amendment: Sendable {
  case timing(RunLoopTask.Timing)
  case modes([RunLoop.Mode])
  case delay(until: Int64)
  case limit(Int64)
  case order(Int)
  case key(TaskKey)
}

/// A key that tasks are coalesced by, and the shortest time between two of them in nanoseconds.
struct TaskKey: @unchecked Sendable {
  // Unchecked, because a key that leaves its thread is made of a Sendable one.
  let value: AnyHashable
  let interval: Int64
  /// Not so for a floating-point NaN, which equals no key.
  let isEqualToItself: Bool

  init(_ value: some Hashable & Sendable, atMostEvery interval: Duration) {
    self.init(onOwnThread: value, atMostEvery: interval)
  }

  /// A key that stays on the loop's own thread.
  init(onOwnThread value: some Hashable, atMostEvery interval: Duration) {
    self.value = AnyHashable(value)
    isEqualToItself = value == value
    self.interval = max(0, interval.wholeNanoseconds)
  }
}
