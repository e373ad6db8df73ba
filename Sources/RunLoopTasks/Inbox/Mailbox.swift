/// What other threads have sent and the loop's own thread has not read: a log in the order of time. The lock of the
/// inbox guards it.
///
/// The loop's thread replays the log, as if each call had been made on that thread at its date. Tasks with a key stand
/// beside it, by their keys, so that a later one supersedes an earlier one, which is not replayed.
struct Mailbox {
  /// A message, with the date of the task clock at which it was sent.
  typealias Message = (date: Int64, number: UInt64, content: Content)

  enum Content {
    /// A new task. If it has a key, it replaces the pending task with that key, and inherits its limit. With
    /// `cancelsFirst`, or if the new task was cancelled meanwhile, the pending one is cancelled first, and nothing is
    /// inherited.
    case task(RunLoopTask, cancelsFirst: Bool = false)
    /// Takes out a task that was cancelled, and releases its closure.
    case withdraw(RunLoopTask)
    /// Cancels all tasks that were sent or scheduled before it.
    case cancelAll

    /// The task that the message schedules. One without a closure was made only to cancel another.
    var newTask: RunLoopTask? {
      if case .task(let task, _) = self, task.closure != nil { task } else { nil }
    }

    /// Calls `body` with each of the modes that the message attaches.
    func forEachMode(_ body: (ModeID) -> Void) { newTask?.forEachMode(body) }
  }

  private var log: [Message] = []
  private var messagesByKey: [TaskKey: Message] = [:]
  private var latestNumber: UInt64 = 0

  var isEmpty: Bool { latestNumber == 0 }

  /// The messages, in the order of time.
  var messages: [Message] {
    messagesByKey.isEmpty ? log : (log + messagesByKey.values).inOrder { (0, $0.number) }
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
    // A later task replaces none of those that are cancelled.
    if case .cancelAll = content { (log, messagesByKey) = (messages, [:]) }
    guard case .task(let task, _) = content, let key = task.key else {
      append(content, at: date)
      return nil
    }
    var (cancelsFirst, leftover) = (false, RunLoopTask?.none)
    if case .task(let old, let oldCancelsFirst)? = messagesByKey.removeValue(forKey: key)?.content {
      let isReplaced = old.leavePending(for: .cancelled)
      if isReplaced {
        task.inheritLimit(of: old)
        task.scheduler.unrunLoop.noteReplacement(task)
      }
      cancelsFirst = oldCancelsFirst || !isReplaced
      if old.closure == nil || isReplaced && old.hasSendableClosure {
        leftover = old
      } else if !old.hasSendableClosure {
        append(.withdraw(old), at: date)  // which also keeps the task for the loop's thread
      }  // or else whoever has cancelled it is about to withdraw it
    }
    latestNumber += 1
    messagesByKey[key] = (date, latestNumber, .task(task, cancelsFirst: cancelsFirst))
    return leftover
  }

  private mutating func append(_ content: Content, at date: Int64) {
    latestNumber += 1
    log.append((date, latestNumber, content))
  }
}
