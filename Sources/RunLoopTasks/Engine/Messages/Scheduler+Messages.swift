import Foundation

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
      message.newTask?.beginPending()
      return attachment.send(message, at: clock.now)
    }
    guard let receipt else { return false }
    receipt.loopToWake?.wakeUp()
    withExtendedLifetime(receipt.leftover) { receipt.leftover.cancelledTask?.releaseContents() }
    return true
  }

  /// Replays the messages of other threads in the order of time, between the ends of delays, limits and intervals.
  ///
  /// - Returns: the date until which this has let time pass.
  func readMessages() -> Int64 {
    let (messages, now) = attachment.withLock {
      hasMessages.store(false, ordering: .releasing)
      pending.addModes(of: $0.modes)
      return ($0.mailbox.take(), clock.now)  // with the lock, so that what is sent later has a later date
    }
    resetRechecks()
    for message in messages {
      letTimePass(until: message.date)
      apply(message.content, at: message.date)
      if case .keyed(let key, _) = message.content { garbage.add(key) }  // the mailbox may have had the last reference
    }
    letTimePass(until: now)
    return now
  }

  @inline(__always)
  func apply(_ message: Mailbox.Content, at date: Int64) {
    switch message {
    case .task(let task): takeInOrRelease(task, at: date)
    case .keyed(let key, let keyed):
      if keyed.cancelsFirst { cancelTask(with: key) }
      if let task = keyed.task {
        takeInOrRelease(task, at: date)
        // A post replaces the loop's own task even if it was cancelled itself, perhaps just now.
        if task.isCancelledAlone { cancelTask(with: key) }
      }
    case .amendment(let task, let amendment):
      apply(amendment, to: task, at: date)
      if case .key(let key) = amendment { garbage.add(key) }
    case .release(let task): withdraw(task)
    case .releaseOutdated: withdrawOutdated()
    }
  }

  private func takeInOrRelease(_ task: RunLoopTask, at date: Int64) {
    if task.state == .pending { takeIn(task, at: date) } else { garbage.add(task) }
  }
}
