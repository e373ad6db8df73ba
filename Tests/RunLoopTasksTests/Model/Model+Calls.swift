import Foundation

@testable import RunLoopTasks

// What is asked of the package: by the loop's own thread at once, by others when the loop's thread notices. It then
// does what they have asked for in their order.
extension Model {
  mutating func receive(_ event: Event, from caller: Caller) {
    switch event {
    case .scheduled(let number, let wish, _):
      send(event)
      if let key = wish.key { give(key, wish.interval, to: number, caller) }
    case .amended(let number, let change, .other) where isUnread(number): amendUnread(number, change)
    case .cancelledKey(let key, .other):
      if let number = unreadTask(with: key), tasks[number]?.state == .pending { cancelAlone(number) }
      send(event)
    default: send(event)
    }
    if caller == .own { readMessages() }
  }

  private mutating func send(_ event: Event) { unread.append(Message(event: event, asked: now, clock: clock)) }

  // MARK: What the loop's thread has not noticed

  /// Whether the loop's thread has not noticed a task. One whose key was then given to a task that it knows counts as
  /// noticed, too, because it may be replaced.
  private func isUnread(_ number: TaskNumber) -> Bool {
    guard let task = tasks[number], task.standing == .unread else { return false }
    return task.wish.key.map { unreadTask(with: $0) == number } ?? true
  }

  /// The task that was given a key last, if the loop's thread has not noticed it.
  private func unreadTask(with key: Int) -> TaskNumber? {
    for message in unread.reversed() {
      if case .amended(let number, .key(key, _), _) = message.event {
        return tasks[number]?.standing == .unread ? number : nil
      }
    }
    return nil
  }

  private mutating func amendUnread(_ number: TaskNumber, _ change: Change) {
    guard let task = tasks[number] else { return }
    switch change {
    case .key(let key, let interval):
      unread.removeAll { $0.event.isGivingKey(to: number) }
      return give(key, interval, to: number, .other)
    case .after(let delay):
      guard delay > 0 || task.delayEnd > clock else { break }
      let end = delay > 0 ? clock + delay : .past
      tasks[number]?.delayEnd = end
      // It comes in anew.
      let own = unread.filter { $0.event.isScheduling(number) || $0.event.isGivingKey(to: number) }
      unread.removeAll { $0.event.isScheduling(number) || $0.event.isGivingKey(to: number) }
      unread += own
    case .within(let limit): setLimitEnd(of: number, to: clock + limit)
    default: break
    }
    tasks[number]?.wish.amend(change)
  }

  /// Gives a key to a task that the loop's thread has not noticed. Of these, only the latest with a key stays. It gets
  /// the place of the other, if both have one.
  private mutating func give(_ key: Int, _ interval: HalfHours, to number: TaskNumber, _ caller: Caller) {
    tasks[number]?.wish.amend(.key(key, every: interval))
    let event = Event.amended(number, .key(key, every: interval), caller)
    guard caller == .other, let old = unreadTask(with: key), let task = tasks[old], task.state == .pending else {
      return send(event)
    }
    cancel(old)
    inheritLimit(number, of: task)
    guard task.delayEnd <= clock, let own = tasks[number], own.delayEnd <= clock else { return send(event) }
    guard let own = unread.firstIndex(where: { $0.event.isScheduling(number) }) else { return }
    for index in unread.indices {
      if unread[index].event.isGivingKey(to: old) { unread[index] = Message(event: event, asked: now, clock: clock) }
      if unread[index].event.isScheduling(old) { unread[index] = unread[own] }
    }
    unread.remove(at: own)
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
      case .scheduled(let number, _, _): if tasks[number]?.state == .pending { takeIn(number, message.asked) }
      case .amended(let number, let change, _):
        guard let task = tasks[number] else { continue }
        if task.state == .pending {
          amend(number, change, message)
        } else if case .key(let key, _) = change, task.standing == .unread, task.wasCancelledAlone {
          // One that was cancelled alone has replaced another before; one that was cancelled with all the others has
          // not.
          if let old = self.task(with: key) { cancel(old.number) }
        }
      case .cancelledKey(let key, _): if let task = task(with: key) { cancelAlone(task.number) }
      default: break
      }
    }
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

  fileprivate func isGivingKey(to number: TaskNumber) -> Bool {
    if case .amended(number, .key, _) = self { true } else { false }
  }
}
