/// What other threads have sent and the loop's own thread has not read: a log in the order of time. The lock around
/// `LoopAttachment` guards it.
///
/// The loop's thread replays the log, as if each call had been made on that thread at its date. Tasks with a key stand
/// beside it, by their keys, so that a later one supersedes an earlier one, which is not replayed.
struct Mailbox {
  /// A message, with the date of the task clock at which it was sent.
  typealias Message = (date: Int64, number: Int, content: Content)

  enum Content {
    /// A new task. If it has a key, it replaces the pending task with that key, and inherits its limit. With
    /// `cancelsFirst`, or if the new task was cancelled meanwhile, the pending one is cancelled first, and nothing is
    /// inherited.
    case task(RunLoopTask, cancelsFirst: Bool = false)
    /// Takes out a task that was cancelled, and releases its closure.
    case withdraw(RunLoopTask)
    /// Does the same with all tasks that were cancelled together.
    case withdrawOutdated

    /// The task that the message schedules. One without a closure was made only to cancel another.
    var newTask: RunLoopTask? {
      if case .task(let task, _) = self, task.closure != nil { task } else { nil }
    }

    /// Calls `body` with each of the modes that the message attaches.
    func forEachMode(_ body: (ModeID) -> Void) { newTask?.forEachMode(body) }
  }

  private var log: [Message] = []
  private var messagesByKey: [TaskKey: Message] = [:]
  private var latestNumber = 0

  var isEmpty: Bool { latestNumber == 0 }

  /// The messages, in the order of time.
  var messages: [Message] {
    messagesByKey.isEmpty ? log : (log + messagesByKey.values).sorted { $0.number < $1.number }
  }

  /// Adds what another thread sends.
  ///
  /// A task that another thread has just cancelled is superseded like any other, and stays alive meanwhile:
  ///
  ///     cancel()    cancelled ── holds the task ──────────── lock ─ adds `withdraw` ─ unlock
  ///     sender                 lock ─ supersedes it ─ unlock
  ///
  /// - Returns: a superseded task, whose contents the sender releases without the lock, as that may run any code.
  mutating func add(_ content: Content, at date: Int64) -> RunLoopTask? {
    guard case .task(let task, _) = content, let key = task.key else {
      append(content, at: date)
      return nil
    }
    var (cancelsFirst, leftover) = (false, RunLoopTask?.none)
    if case .task(let old, let oldCancelsFirst)? = messagesByKey.removeValue(forKey: key)?.content {
      let wasPending = old.isPending
      let isCancelledHere = old.leavePending(for: .cancelled, evenIfOutdated: true)
      let isReplaced = wasPending && isCancelledHere
      if isReplaced { task.inheritLimit(of: old) }
      cancelsFirst = oldCancelsFirst || !isReplaced
      if old.closure == nil || isCancelledHere && old.hasSendableClosure {
        leftover = old
      } else if !old.hasSendableClosure {
        append(.withdraw(old), at: date)  // which also keeps the task for the loop's thread
      }
    }
    latestNumber += 1
    messagesByKey[key] = (date, latestNumber, .task(task, cancelsFirst: cancelsFirst))
    return leftover
  }

  private mutating func append(_ content: Content, at date: Int64) {
    // Once for all that is outdated. A keyed task that was sent in between is released when it is read.
    if case .withdrawOutdated = content, case .withdrawOutdated = log.last?.content { return }
    latestNumber += 1
    log.append((date, latestNumber, content))
  }
}
