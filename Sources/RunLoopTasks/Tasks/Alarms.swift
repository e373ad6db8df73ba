/// A date of the task clock, in nanoseconds, at which something ends.
struct Alarm: Comparable {
  enum Event {
    /// The delay of a task, or the interval of its key, for which it waits.
    case wait(RunLoopTask)
    case limit(RunLoopTask)
    /// The interval of a key, so that nothing need be remembered of the key.
    case memory(TaskKey)
  }

  fileprivate let date: Int64
  /// Tells which of two alarms with the same date was set first.
  fileprivate let number: UInt64

  static func < (one: Alarm, other: Alarm) -> Bool { (one.date, one.number) < (other.date, other.number) }
}

/// The alarms of a loop. All operations take O(log *n*) steps.
struct Alarms {
  private var events = SortedTree<Alarm, Alarm.Event>()
  private var nextNumber: UInt64 = 0
  /// The date of the earliest alarm.
  private(set) var earliest: Int64?

  /// The tasks that wait for a delay or an interval, in the order in which their waits end.
  var waitingTasks: [RunLoopTask] {
    events.elements.compactMap { if case .wait(let task) = $0 { task } else { nil } }
  }

  mutating func add(_ date: Int64, _ event: Alarm.Event) -> Alarm {
    let alarm = Alarm(date: date, number: nextNumber)
    nextNumber += 1
    events.insert(event, at: alarm)
    earliest = min(earliest ?? date, date)
    return alarm
  }

  /// Removes an alarm, which must be there.
  mutating func remove(_ alarm: Alarm) {
    _ = events.remove(at: alarm)
    if alarm.date == earliest { earliest = events.first()?.rank.date }
  }

  /// Removes the earliest alarm and returns its event, if its date is not after `date`.
  mutating func removeFirst(notAfter date: Int64) -> Alarm.Event? {
    guard let earliest, earliest <= date, let first = events.first() else { return nil }
    remove(first.rank)
    return first.element
  }
}
