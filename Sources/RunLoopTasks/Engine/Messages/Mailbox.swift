/// What other threads have sent and the loop's own thread has not read: a log in the order of time. The lock around
/// `LoopAttachment` guards it.
///
/// The loop's thread replays the log, as if each call had been made on that thread at its date. Posts with a
/// key stand beside it, by their keys, so that a later one replaces an earlier one. An unread change of a key moves them into
/// the log, where nothing replaces them.
struct Mailbox {
  struct Message {
    /// When it was sent, on the task clock.
    let date: Int64
    let number: Int
    var content: Content
  }

  enum Content {
    /// A task without a key.
    case task(RunLoopTask)
    case keyed(TaskKey, Keyed)
    /// Indirect, because the other messages are much more frequent and smaller.
    indirect case amendment(RunLoopTask, Amendment)
    /// Releases the closure of a task that was cancelled.
    case release(RunLoopTask)
    /// Releases the closures of all tasks that were cancelled together.
    case releaseOutdated

    /// The task that the message schedules.
    var newTask: RunLoopTask? {
      switch self {
      case .task(let task): task
      case .keyed(_, let keyed): keyed.task
      default: nil
      }
    }

    /// Calls `body` with each of the modes that the message attaches.
    func forEachMode(_ body: (ModeID) -> Void) {
      switch self {
      case .amendment(_, .modes(let modes)): modes.forEach(body)
      default: newTask?.forEachMode(body)
      }
    }
  }

  /// What is asked for a key: first to cancel the loop's own task with it, then to take in the latest task with it.
  struct Keyed {
    var cancelsFirst = false
    var task: RunLoopTask?
    /// The task was cancelled by its key, and nobody else releases it.
    var ownsCancelledTask = false
  }

  private var log: [Message] = []
  private var messagesByKey: [TaskKey: Message] = [:]
  private var latestNumber = 0

  var isEmpty: Bool { latestNumber == 0 }

  /// Empties the mailbox.
  ///
  /// - Returns: the messages, in the order of time.
  mutating func take() -> [Message] {
    freezeKeyedMessages()
    log.sort { $0.number < $1.number }
    defer { self = Mailbox() }
    return log
  }

  /// What a message has superseded. The sender releases it without the lock, as that may run any code.
  struct Leftover {
    var message: Message?
    /// A task that was cancelled, and whose contents the sender releases.
    var cancelledTask: RunLoopTask?
  }

  /// Adds what another thread sends.
  mutating func add(_ content: Content, at date: Int64) -> Leftover {
    guard case .keyed(let key, var keyed) = content else {
      if case .amendment(_, .key) = content { freezeKeyedMessages() }
      append(content, at: date)
      return Leftover()
    }
    let old = messagesByKey.removeValue(forKey: key)
    let cancelledTask = old.flatMap { supersede($0.content, by: &keyed, at: date) }
    latestNumber += 1
    messagesByKey[key] = Message(date: date, number: latestNumber, content: .keyed(key, keyed))
    return Leftover(message: old, cancelledTask: cancelledTask)
  }

  /// Lets later messages supersede none of those that were sent before. A change of a key may take the key from one of their
  /// tasks, or cancel the task, and only the replay can tell.
  private mutating func freezeKeyedMessages() {
    log += messagesByKey.values
    messagesByKey = [:]
  }

  private mutating func append(_ content: Content, at date: Int64) {
    // Once for all that is outdated. A keyed task that was sent in between is released when it is read.
    if case .releaseOutdated = content, case .releaseOutdated = log.last?.content { return }
    latestNumber += 1
    log.append(Message(date: date, number: latestNumber, content: content))
  }

  /// Cancels the unread task with a key, from which the next one inherits its limit. A task that was cancelled before
  /// has cancelled the loop's own task all the same.
  ///
  /// - Returns: the task, if the sender releases its contents. If `cancel()` has cancelled it, that call's message does so.
  private mutating func supersede(_ old: Content, by new: inout Keyed, at date: Int64) -> RunLoopTask? {
    guard case .keyed(_, let old) = old else { return nil }
    new.cancelsFirst = new.cancelsFirst || old.cancelsFirst || old.task?.isCancelledAlone == true
    guard let task = old.task else { return nil }
    if task.state == .pending { new.task?.inheritLimit(of: task) }
    let mustRelease = task.leavePending(for: .cancelled, evenIfOutdated: true) || old.ownsCancelledTask
    if new.task == nil {
      (new.task, new.ownsCancelledTask) = (task, mustRelease)  // the loop's thread releases it
    } else if !task.hasSendableClosure {
      append(.release(task), at: date)  // which also keeps the task for the loop's thread
    } else if mustRelease {
      return task
    }
    return nil
  }
}

/// A change to a pending task. Dates are those of the task clock.
enum Amendment: Sendable {
  case timing(RunLoopTask.Timing)
  case modes([ModeID])
  case delay(until: Int64)
  case limit(Int64)
  case order(Int)
  case key(TaskKey)
}
