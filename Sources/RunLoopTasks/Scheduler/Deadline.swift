import Synchronization

/// How long the tasks of one activity may take. Any thread may change it.
struct Budget: ~Copyable, Sendable {
  /// Zero for no limit.
  private let nanoseconds = Atomic<Int64>(0)

  var wholeNanoseconds: Int64 { nanoseconds.load(ordering: .relaxed) }
  var isSet: Bool { wholeNanoseconds != 0 }

  var duration: Duration? {
    get { isSet ? .nanoseconds(wholeNanoseconds) : nil }
    nonmutating set { nanoseconds.store(newValue.map { max($0.wholeNanoseconds, 1) } ?? 0, ordering: .relaxed) }
  }
}

/// When the tasks of one activity must end.
struct Deadline {
  /// In nanoseconds, the last one without a budget.
  private let date: Int64

  init(for budget: borrowing Budget) {
    date = budget.isSet ? TaskClock.uptime.addingSaturated(budget.wholeNanoseconds) : .max
  }

  /// What is left until then, never below zero; `nil` without a budget.
  var timeLeft: Duration? { date == .max ? nil : .nanoseconds(max(0, date - TaskClock.uptime)) }

  var hasPassed: Bool {
    @inline(__always) get { date != .max && TaskClock.uptime >= date }
  }
}
