import Foundation

@testable import RunLoopTasks

// What is asked of the package: by the loop's own thread at once, by others when the loop's thread notices.
extension Model {
  mutating func receive(_ event: Event, from caller: Caller) {
    if case .amended(let number, let change, _) = event, caller == .other, tasks[number]?.standing == .unread {
      guard case .key = change, hasLaterKeyChange(number) else { return amendUnread(number, change) }
      tasks[number]?.hasUnreadKey = true
    }
    unread.append(Message(event: event, asked: now, clock: clock))
    if caller == .own { return readMessages() }
    switch event {
    case .scheduled(let number, let wish, _): if let key = wish.key { replaceUnread(by: number, key) }
    case .cancelledKey(let key, _): if let task = unreadTask(with: key) { cancelAlone(task.number) }
    default: break
    }
  }

  // MARK: What the loop's thread has not noticed

  /// Whether the key of a task that the loop's thread knows was changed after another task was scheduled. A change of
  /// the other task's key does not overtake that.
  private func hasLaterKeyChange(_ number: TaskNumber) -> Bool {
    guard let index = unread.firstIndex(where: { $0.event.isScheduling(number) }) else { return false }
    return unread[index...].contains { if case .amended(_, .key, _) = $0.event { true } else { false } }
  }

  private mutating func amendUnread(_ number: TaskNumber, _ change: Change) {
    let clock = clock
    tasks[number]?.wish.amend(change)
    switch change {
    case .after(let delay): tasks[number]?.delayEnd = delay > 0 ? clock + delay : .past
    case .within(let limit): tasks[number]?.limitEnd = clock + limit
    case .key(let key, _):
      tasks[number]?.keySince = now
      replaceUnread(by: number, key)
    default: break
    }
  }

  /// Of the tasks that the loop's thread has not noticed, only the latest with a key stays. It gets the place of the
  /// other, if that one had a place.
  private mutating func replaceUnread(by number: TaskNumber, _ key: Int) {
    guard let old = unreadTask(with: key, except: number) else { return }
    cancel(old.number)
    let place = unread.firstIndex { $0.event.isScheduling(old.number) }
    let own = unread.firstIndex { $0.event.isScheduling(number) }
    guard let place, let own, old.delayEnd <= clock else { return }
    unread.swapAt(place, own)
  }

  /// The pending task with a key that the loop's thread has not noticed, unless another task was given the key since.
  private func unreadTask(with key: Int, except number: TaskNumber? = nil) -> Item? {
    let since = unread.last { if case .amended(_, .key(key, _), _) = $0.event { true } else { false } }?.asked
    return tasks.values.first {
      $0.standing == .unread && $0.state == .pending && $0.wish.key == key && !$0.hasUnreadKey && $0.number != number
        && $0.keySince > since ?? .min
    }
  }

  // MARK: Noticing

  /// The model after the loop's thread has noticed the calls of other threads.
  func withMessagesRead() -> Model {
    guard !unread.isEmpty else { return self }
    var model = self
    model.readMessages()
    return model
  }

  mutating func readMessages() {
    let messages = unread
    unread = []
    for message in messages {
      now += 1
      switch message.event {
      case .scheduled(let number, _, _): takeIn(number, message.asked)
      case .amended(let number, let change, _):
        if tasks[number]?.state == .pending { amend(number, change, message) }
      case .cancelledKey(let key, _):
        // One that got the key later is not meant.
        if let task = task(with: key), task.keySince < message.asked { cancelAlone(task.number) }
      default: break
      }
    }
  }

  private mutating func takeIn(_ number: TaskNumber, _ asked: Int) {
    guard var task = tasks[number] else { return }
    let key = task.wish.key
    guard task.state == .pending else {
      // One that was cancelled alone has replaced another before; one that was cancelled with all the others has not.
      if task.wasCancelledAlone, let key, let old = self.task(with: key), old.keySince < task.keySince {
        cancel(old.number)
      }
      return
    }
    (task.born, task.modesSince, task.mayRunSince) = (now, now, asked)
    task.wish.key = nil
    tasks[number] = task
    settle(number)
    if let key { coalesce(number, by: key, asked) }
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
      tasks[number]?.limitEnd = message.clock + limit
      tasks[number]?.overdueSince = nil
    case .key(let key, let interval):
      tasks[number]?.wish.interval = interval
      tasks[number]?.keySince = message.asked
      tasks[number]?.hasUnreadKey = false
      coalesce(number, by: key, message.asked)
    }
  }

  private mutating func coalesce(_ number: TaskNumber, by key: Int, _ asked: Int) {
    tasks[number]?.wish.key = key
    waitForInterval(number)
    guard let old = task(with: key, except: number) else { return }
    cancel(old.number)
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
}
