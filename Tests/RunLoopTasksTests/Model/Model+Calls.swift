import Foundation

@testable import RunLoopTasks

// What is asked of the package: by the loop's own thread at once, by others when the loop's thread notices. It then
// does what they have asked for in their order.
extension Model {
  mutating func receive(_ event: Event, from caller: Caller) {
    switch event {
    case .scheduled(let number, let wish, .other) where wish.key != nil: sendKeyed(event, number, wish.key!)
    case .cancelledKey(let key, .other):
      guard let slot = slot(of: key) else { return send(event) }
      if case .scheduled(let number, _, _) = unread[slot].event, tasks[number]?.state == .pending {
        cancelAlone(number)
      }
      unread[slot].event = event
    default: send(event)
    }
    if caller == .own { readMessages() }
  }

  private mutating func send(_ event: Event) { unread.append(Message(event: event, asked: now, clock: clock)) }

  // MARK: What the loop's thread has not noticed

  /// The message with the task that another thread has sent with a key, or with the cancellation of that key; none if a
  /// task was given the key, or the task was amended or cancelled with all others since.
  private func slot(of key: Int) -> Int? {
    guard let slot = unread.lastIndex(where: { $0.event.key == key }) else { return nil }
    let isAmended = unread.contains { message in
      guard case .amended(let number, _, .other) = message.event else { return false }
      return unread[slot].event.isScheduling(number)
    }
    let isUseless =
      switch unread[slot].event {
      case .amended: true
      case .scheduled(let number, _, _): tasks[number].map { $0.state == .cancelled && !$0.wasCancelledAlone } ?? true
      default: false
      }
    return isAmended || isUseless ? nil : slot
  }

  /// Of the tasks that were sent with a key only the latest stays. It gets the place of the other, if both have one.
  private mutating func sendKeyed(_ event: Event, _ number: TaskNumber, _ key: Int) {
    guard let slot = slot(of: key), let task = tasks[number] else { return send(event) }
    var (place, cancelsFirst) = (clock, true)
    if case .scheduled(let old, _, _) = unread[slot].event, let oldTask = tasks[old], oldTask.state == .pending {
      let placeOfOld = min(oldTask.delayEnd, oldTask.leastLimitEnd ?? oldTask.delayEnd)
      if placeOfOld <= clock { place = placeOfOld }
      inheritLimit(number, of: oldTask)
      cancel(old)
      cancelsFirst = unread[slot].cancelsFirst
    }
    let placeOfTask = min(task.delayEnd, task.leastLimitEnd ?? task.delayEnd)
    if placeOfTask <= clock, place > unread[slot].clock { tasks[number]?.delayEnd = place }
    (unread[slot].event, unread[slot].asked, unread[slot].cancelsFirst) = (event, now, cancelsFirst)
  }

  // MARK: Noticing

  /// The model after the loop's thread has noticed the calls of other threads.
  func withMessagesRead() -> Model {
    guard !unread.isEmpty else { return self }
    var model = self
    model.readMessages()
    return model
  }

  /// Replays the messages at their times, between the ends of delays.
  mutating func readMessages() {
    let (messages, clock) = (unread, frozenClock)
    unread = []
    for message in messages {
      now += 1
      frozenClock = message.clock
      letTimePass()
      switch message.event {
      case .scheduled(let number, let wish, _):
        guard let task = tasks[number] else { continue }
        if task.state == .pending {
          if message.cancelsFirst, let key = wish.key, let old = self.task(with: key) { cancelAlone(old.number) }
          takeIn(number, message.asked)
          if let key = wish.key { amend(number, .key(key, every: wish.interval), message) }
        } else if let key = wish.key, task.wasCancelledAlone, let old = self.task(with: key) {
          // It has replaced another before. One that was cancelled with all the others has not.
          cancel(old.number)
        }
      case .amended(let number, let change, _):
        if tasks[number]?.state == .pending { amend(number, change, message) }
      case .cancelledKey(let key, _): if let task = task(with: key) { cancelAlone(task.number) }
      default: break
      }
    }
    frozenClock = clock
    if !messages.isEmpty { letTimePass() }
  }

  private mutating func takeIn(_ number: TaskNumber, _ asked: Int) {
    guard var task = tasks[number] else { return }
    (task.born, task.modesSince, task.mayRunSince) = (now, now, asked)
    task.wish.key = nil
    tasks[number] = task
    settle(number)
    considerLimit(of: number)
  }

  private mutating func amend(_ number: TaskNumber, _ change: Change, _ message: Message) {
    if case .key = change {} else { tasks[number]?.wish.amend(change) }
    // What another thread has changed may be noticed when the tasks' turn is just over.
    if case .amended(_, _, .other) = message.event { tasks[number]?.mustRunSince = now }
    switch change {
    case .timing, .order: break
    case .modes: tasks[number]?.modesSince = now
    case .after(let delay): self.delay(number, until: delay > 0 ? message.clock + delay : .past)
    case .within(let limit):
      setLimitEnd(of: number, to: message.clock + limit)
      considerLimit(of: number)
    case .key(let key, let interval):
      tasks[number]?.wish.interval = interval
      coalesce(number, by: key, message.asked)
    }
  }

  private mutating func coalesce(_ number: TaskNumber, by key: Int, _ asked: Int) {
    tasks[number]?.wish.key = key
    waitForInterval(number)
    guard let old = task(with: key, except: number) else { return }
    cancel(old.number)
    if old.leastLimitEnd != nil {
      inheritLimit(number, of: old)
      considerLimit(of: number)
    }
    guard old.hasPlace, tasks[number]?.hasPlace == true else { return }
    if let own = tasks[number] {
      // A task that has waited until now counts as scheduled now, wherever it stands.
      tasks[number]?.born = max(own.born, own.place)
      tasks[number]?.place = old.place
    }
    tasks[number]?.mayRunSince = asked
    tasks[number]?.mustRunSince = now
  }

  /// The pending task with a key, as far as the loop's thread has noticed.
  private func task(with key: Int, except number: TaskNumber? = nil) -> Item? {
    tasks.values.first {
      $0.standing != .unread && $0.state == .pending && $0.wish.key == key && $0.number != number
    }
  }

  private mutating func inheritLimit(_ number: TaskNumber, of old: Item) {
    let end = [old.leastLimitEnd, tasks[number]?.inheritedLimitEnd].compactMap(\.self).min()
    tasks[number]?.inheritedLimitEnd = end
  }

  private mutating func setLimitEnd(of number: TaskNumber, to end: ClockTime) { tasks[number]?.limitEnd = end }

  private mutating func cancel(_ number: TaskNumber) { tasks[number]?.state = .cancelled }

  mutating func cancelAlone(_ number: TaskNumber) {
    cancel(number)
    tasks[number]?.wasCancelledAlone = true
  }
}

extension Event {
  fileprivate func isScheduling(_ number: TaskNumber) -> Bool {
    if case .scheduled(number, _, _) = self { true } else { false }
  }

  /// The key of which it speaks, if another thread has sent it.
  fileprivate var key: Int? {
    switch self {
    case .scheduled(_, let wish, .other): wish.key
    case .amended(_, .key(let key, _), .other), .cancelledKey(let key, .other): key
    default: nil
    }
  }
}
