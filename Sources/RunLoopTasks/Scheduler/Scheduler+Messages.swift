import Foundation

// The messages of other threads.
extension Scheduler {
  /// Sends a message to the loop's own thread.
  ///
  /// - Returns: whether the loop has not ended.
  func post(_ message: (inout LoopAttachment) -> LoopAttachment.Receipt) -> Bool {
    let receipt = attachment.withLock { attachment in
      // This precedes the wake-up, because the woken loop reads the flag at once.
      hasMessages.store(true, ordering: .releasing)
      return message(&attachment)
    }
    receipt.loopToWake?.wakeUp()
    return withExtendedLifetime(receipt.leftovers) { !receipt.isRefused }
  }

  /// Reads and applies the messages of other threads.
  @inline(__always)
  func readMessages() {
    if hasMessages.load(ordering: .acquiring) { readUnreadMessages() }
  }

  @inline(never)
  private func readUnreadMessages() {
    let mail = attachment.withLock {
      hasMessages.store(false, ordering: .releasing)
      return $0.readMessages()
    }
    runs.forgetFruitlessTurns()
    for key in mail.keys { garbage.add(key) }
    for message in mail.messages {
      switch message {
      case .schedule(let task, let modes):
        receive(task, modes)
      case .amend(let task, let amendment):
        if task.state == .pending { apply(amendment, to: task) }
        if case .key(let key) = amendment { garbage.add(key) }
      case .discard(let task):
        withdraw(task)
      case .discardOutdated: discardOutdated()
      case .cancel(let key, let number):
        garbage.add(key)
        cancelTask(with: key, before: number)
      case .empty: break
      }
    }
  }

  private func receive(_ task: RunLoopTask, _ modes: [RunLoop.Mode]) {
    if !task.cancelIfOutdated(), task.state == .pending { return schedule(task, modes) }
    garbage.add(task)
    guard let key = task.key else { return }
    // A task that was cancelled alone still replaces the task before it. A task that `cancelAll()` has cancelled does
    // not.
    if !task.cancelIfOutdated() { cancelTask(with: key, before: task.keyNumber) }
  }

  /// Cancels the pending task that got a key before a call of another thread.
  private func cancelTask(with key: TaskKey, before number: KeyNumber) {
    guard let task = keys[key], task.keyNumber < number,
      task.leavePending(for: .cancelled, onLoopThread: true)
    else { return }
    withdraw(task)
  }
}
