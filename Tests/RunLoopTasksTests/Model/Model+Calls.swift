import Foundation

@testable import RunLoopTasks

// What is asked of the package: by the loop's own thread at once, by others when the loop's thread notices. It then
// does what they have asked for in their order.
extension Model {
  mutating func receive(_ event: Event, from caller: Caller) {
    var message = Message(event: event, clock: clock)
    if caller == .other { supersede(by: &message) }
    unread.append(message)
    if caller == .own { readMessages() }
  }

  /// Of what other threads have sent for a key and the loop has not noticed, only the latest stays.
  private mutating func supersede(by message: inout Message) {
    switch message.event {
    case .scheduled(_, let wish, _): message.key = wish.key
    case .cancelledKey(let key, _): (message.key, message.cancelsFirst) = (key, true)
    case .cancelledAll: for index in unread.indices { unread[index].key = nil }
    default: break
    }
    guard let key = message.key, let index = unread.firstIndex(where: { $0.key == key }) else { return }
    let old = unread.remove(at: index)
    message.cancelsFirst = message.cancelsFirst || old.cancelsFirst
    guard let number = old.event.scheduledTask, let task = tasks[number] else { return }
    message.cancelsFirst = message.cancelsFirst || task.state == .cancelled
    if task.state == .pending { replace(task, by: message.event.scheduledTask) }
  }

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
    (unread, hasCancelledTasks) = ([], false)
    for message in messages {
      now += 1
      frozenClock = message.clock
      letTimePass()
      switch message.event {
      case .scheduled(let number, let wish, _):
        if let key = wish.key, message.cancelsFirst || tasks[number]?.state == .cancelled {
          cancelTask(with: key)
        }
        if tasks[number]?.state == .pending { takeIn(number) }
      case .changed(let number, let change):
        if tasks[number]?.state == .pending { self.change(number, change, message.clock) }
      case .cancelledKey(let key, _): cancelTask(with: key)
      case .cancelledAll:
        for task in tasks.values where task.standing != .unread && task.state == .pending {
          tasks[task.number]?.state = .cancelled
        }
      default: break
      }
    }
    frozenClock = clock
    if !messages.isEmpty { letTimePass() }
  }

  private mutating func takeIn(_ number: TaskNumber) {
    settle(number)
    if let key = tasks[number]?.wish.key { coalesce(number, by: key) }
  }

  private mutating func change(_ number: TaskNumber, _ change: Change, _ clock: ClockTime) {
    tasks[number]?.wish.apply(change)
    switch change {
    case .timing, .order: break
    case .modes: tasks[number]?.modesSince = now
    case .after(let delay):
      tasks[number]?.delayEnd = delay > 0 ? clock + delay : .past
      if delay > 0 { tasks[number]?.place = 0 }
    case .within(let limit): tasks[number]?.limitEnd = clock + limit
    case .key(let key, _): coalesce(number, by: key)
    }
    settle(number)
  }

  /// Lets a task wait for the interval of its key, and replace the pending task with that.
  private mutating func coalesce(_ number: TaskNumber, by key: Int) {
    let interval = tasks[number]?.wish.interval ?? 0
    tasks[number]?.intervalEnd = interval > 0 ? beginnings[key].map { $0.time + interval } ?? .past : .past
    if let old = task(with: key, except: number) { replace(old, by: number) }
    settle(number)
  }

  /// The pending task with a key, as far as the loop's thread has noticed.
  private func task(with key: Int, except number: TaskNumber? = nil) -> Item? {
    tasks.values.first {
      $0.standing != .unread && $0.state == .pending && $0.wish.key == key && $0.number != number
    }
  }

  private mutating func cancelTask(with key: Int) {
    if let task = task(with: key) { tasks[task.number]?.state = .cancelled }
  }

  /// Cancels a task, and lets another one inherit its limit.
  private mutating func replace(_ old: Item, by number: TaskNumber?) {
    tasks[old.number]?.state = .cancelled
    guard let number else { return }
    let ends = [old.leastLimitEnd, tasks[number]?.inheritedLimitEnd]
    tasks[number]?.inheritedLimitEnd = ends.compactMap(\.self).min()
  }
}

extension Event {
  fileprivate var scheduledTask: TaskNumber? { if case .scheduled(let number, _, _) = self { number } else { nil } }
}
