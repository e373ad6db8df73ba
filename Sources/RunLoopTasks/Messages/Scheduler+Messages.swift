import Foundation
import Synchronization

// The messages of other threads.
extension Scheduler {
  /// Sends a message to the loop's own thread.
  ///
  /// - Returns: whether the loop has not ended.
  @discardableResult
  func send(_ message: Mailbox.Content) -> Bool {
    let receipt = attachment.withLock { attachment in
      // This precedes the wake-up, because the woken loop reads the flag at once.
      hasMessages.store(true, ordering: .releasing)
      return attachment.send(message, at: clock.now)
    }
    receipt.loopToWake?.wakeUp()
    return withExtendedLifetime(receipt.leftovers) { !receipt.isRefused }
  }

  /// Reads and applies the messages of other threads.
  func readMessages() {
    if hasMessages.load(ordering: .acquiring) { readUnreadMessages() }
  }

  /// Replays the messages in the order of time, between the ends of delays, limits and intervals.
  @inline(never)
  private func readUnreadMessages() {
    let (mailbox, now) = attachment.withLock {
      hasMessages.store(false, ordering: .releasing)
      addNewModes($0.modes)
      return ($0.readMessages(), clock.now)  // with the lock, so that what is sent later has a later date
    }
    runs.forgetFruitlessTurns()
    mailbox.usedKeys.forEach(garbage.add)
    for message in mailbox.messages {
      // A thread that has read the time just before the clock was frozen may be ahead of it.
      let date = min(message.date, now)
      letTimePass(until: date)
      apply(message.content, at: date)
    }
    letTimePass(until: now)
  }

  @inline(__always)
  private func apply(_ message: Mailbox.Content, at date: Int64) {
    switch message {
    case .task(let task):
      if !task.cancelIfOutdated(), task.state == .pending { takeIn(task, at: date) } else { garbage.add(task) }
    case .key(let task):
      guard let key = task.key else { return }
      if task.whereabouts != .outside {
        replaceTask(with: key, by: task, at: date)
      } else if !task.cancelIfOutdated() {
        // A task that was cancelled alone still replaces the task before it. A task that `cancelAll()` has cancelled
        // does not.
        cancelOwnTask(with: key)
      }
    case .amendment(let task, let amendment):
      if task.state == .pending { apply(amendment, to: task, at: date) }
      if case .key(let key) = amendment { garbage.add(key) }
    case .cancellation(let key):
      garbage.add(key)
      cancelOwnTask(with: key)
    case .release(let task): withdraw(task)
    case .releaseOutdated: withdrawOutdated()
    case .empty: break
    }
  }

  private func cancelOwnTask(with key: TaskKey) {
    if let task = keys[key], task.leavePending(for: .cancelled) { withdraw(task) }
  }
}
