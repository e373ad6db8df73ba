import Synchronization

/// How long the tasks of one activity may take. Any thread may change it.
struct Budget: ~Copyable, Sendable {
  /// Zero for no limit.
  private let nanoseconds = Atomic<Int64>(0)

  /// The limit in nanoseconds, `nil` without one. The getter reads the variable once, because another thread may change
  /// it in between.
  var wholeNanoseconds: Int64? {
    let nanoseconds = nanoseconds.load(ordering: .relaxed)
    return nanoseconds == 0 ? nil : nanoseconds
  }

  var duration: Duration? {
    get { wholeNanoseconds.map { .nanoseconds($0) } }
    nonmutating set { nanoseconds.store(newValue.map { max($0.wholeNanoseconds, 1) } ?? 0, ordering: .relaxed) }
  }
}

/// When the tasks of one activity must end.
struct Deadline {
  /// In nanoseconds of the uptime; `.max` without a budget.
  private let date: Int64

  init(for budget: borrowing Budget) {
    date = budget.wholeNanoseconds.map { TaskClock.uptime.addingSaturated($0) } ?? .max
  }

  /// The time until the deadline, never below zero; `nil` without a budget.
  var timeLeft: Duration? { date == .max ? nil : .nanoseconds(max(0, date - TaskClock.uptime)) }

  var hasPassed: Bool {
    @inline(__always) get { date != .max && TaskClock.uptime >= date }
  }
}
