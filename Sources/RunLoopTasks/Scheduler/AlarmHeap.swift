/// A date of the task clock, and what ends then.
final class Alarm {
  enum Event {
    case delay(RunLoopTask)
    /// The interval of a task's key, for which the task waits.
    case interval(RunLoopTask)
    case limit(RunLoopTask)
    /// The interval of a key, so that nothing need be remembered of the key.
    case memory(TaskKey)
  }

  /// In nanoseconds of the task clock.
  let date: Int64
  let event: Event
  /// Tells which of two alarms with the same date was set first.
  fileprivate let number: UInt64
  fileprivate var index = 0

  fileprivate init(_ date: Int64, _ event: Event, number: UInt64) {
    (self.date, self.event, self.number) = (date, event, number)
  }

  fileprivate func precedes(_ other: Alarm) -> Bool {
    date == other.date ? number < other.number : date < other.date
  }
}

/// The alarms of a loop, as a binary heap in which each alarm stores its index. The earliest is first.
struct AlarmHeap {
  private var alarms: [Alarm] = []
  private var nextNumber: UInt64 = 0

  /// The date of the earliest alarm.
  var earliest: Int64? { alarms.first?.date }

  /// The tasks that wait for a delay or an interval, in the order in which their waits end.
  var waitingTasks: [RunLoopTask] {
    alarms.sorted { $0.precedes($1) }.compactMap { alarm in
      switch alarm.event {
      case .delay(let task), .interval(let task): task
      case .limit, .memory: nil
      }
    }
  }

  /// - Complexity: O(log *n*).
  mutating func add(_ date: Int64, _ event: Alarm.Event) -> Alarm {
    let alarm = Alarm(date, event, number: nextNumber)
    nextNumber += 1
    alarm.index = alarms.count
    alarms.append(alarm)
    moveUp(alarm)
    return alarm
  }

  /// Removes an alarm that is in the heap.
  ///
  /// - Complexity: O(log *n*).
  mutating func remove(_ alarm: Alarm) {
    let last = alarms.removeLast()
    guard last !== alarm else { return }
    put(last, at: alarm.index)
    moveUp(last)
    moveDown(last)
  }

  /// Removes the earliest alarm and returns it, if its date is not after `date`.
  ///
  /// - Complexity: O(log *n*).
  mutating func removeFirst(notAfter date: Int64) -> Alarm? {
    guard let first = alarms.first, first.date <= date else { return nil }
    remove(first)
    return first
  }

  private mutating func put(_ alarm: Alarm, at index: Int) {
    alarms[index] = alarm
    alarm.index = index
  }

  private mutating func moveUp(_ alarm: Alarm) {
    var index = alarm.index
    while index > 0, alarm.precedes(alarms[(index - 1) / 2]) {
      put(alarms[(index - 1) / 2], at: index)
      index = (index - 1) / 2
    }
    put(alarm, at: index)
  }

  private mutating func moveDown(_ alarm: Alarm) {
    var index = alarm.index
    while true {
      var child = 2 * index + 1
      guard child < alarms.count else { break }
      if child + 1 < alarms.count, alarms[child + 1].precedes(alarms[child]) { child += 1 }
      guard alarms[child].precedes(alarm) else { break }
      put(alarms[child], at: index)
      index = child
    }
    put(alarm, at: index)
  }
}
