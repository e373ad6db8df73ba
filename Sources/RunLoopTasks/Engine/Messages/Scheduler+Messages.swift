import Foundation

// The messages of other threads.
extension Scheduler {
  /// Sends a message to the loop's own thread, and attaches the message's modes.
  ///
  /// One wake-up is enough for all messages until the loop reads them. If the loop ignores it, or a nested run consumes
  /// it, the next last look reads them. If it comes after the last look, it ends the sleep:
  ///
  ///     own thread    … ─ last look: reads ──────────────────── sleep ─ wakes: reads
  ///     sender                                message ─ wake-up ──────┘
  ///
  /// - Returns: whether the loop has not ended.
  func send(_ message: Mailbox.Content) -> Bool {
    var (isFirst, leftover) = (false, RunLoopTask?.none)
    let loop = attachment.withLock { attachment -> (any EngineLoop)? in
      // The flag comes first: if the own thread reads a `count` that includes the task, it must find the flag set.
      isFirst = !hasMessages.exchange(true, ordering: .acquiringAndReleasing)
      if let task = message.newTask {
        task.isPosted = true
        task.beginPending()
      }
      guard let loop = attachment.loop else { return nil }
      message.forEachMode { attachment.attach($0) }
      leftover = attachment.mailbox.add(message, at: clock.now)
      return loop
    }
    // Without the lock, which the woken thread takes at once, and because a release may run any code.
    if isFirst || takeMissedWakeUp() { loop?.wakeUp() }
    leftover?.releaseContents()
    return loop != nil
  }

  /// Replays the messages of other threads, and the ends of delays, limits and intervals, together in the order of
  /// time.
  ///
  /// - Returns: the date until which this has let time pass.
  func readMessages() -> Int64 {
    let (mailbox, now) = attachment.withLock {
      hasMessages.store(false, ordering: .releasing)
      pending.addModes(of: $0.modes)
      // The time with the lock, so that what is sent later has a later date.
      return (exchange(&$0.mailbox, with: Mailbox()), clock.now)
    }
    forEachRun { $0.resetRechecks() }
    for message in mailbox.messages {  // put in order without the lock, for which senders may wait
      letTimePass(until: message.date)
      apply(message.content, at: message.date)
    }
    letTimePass(until: now)
    return now
  }

  /// Calls `body` with the messages that are unread, which remain so. It must not run user code.
  func withUnreadMessages<Result>(_ body: ([Mailbox.Message]) -> Result) -> Result {
    attachment.withLock {
      pending.addModes(of: $0.modes)
      return body($0.mailbox.messages)
    }
  }

  @inline(__always)
  func apply(_ message: Mailbox.Content, at date: Int64) {
    switch message {
    case .task(let task, let cancelsFirst):
      let isPending = task.isPending  // another thread may cancel it at any moment
      if cancelsFirst || !isPending, let key = task.key { cancelTask(with: key) }
      if let old = isPending ? takeIn(task, at: date) : task { garbage.append(old) }
    case .withdraw(let task): withdraw(task)
    case .withdrawOutdated: withdrawOutdated()
    }
  }
}
