import Synchronization

/// How long the tasks of one activity may take. Any thread may change it.
struct Budget: ~Copyable, Sendable {
  /// Zero for no limit.
  private let nanoseconds = Atomic<Int64>(0)

  var duration: Duration? {
    get {
      let nanoseconds = nanoseconds.load(ordering: .relaxed)
      return nanoseconds == 0 ? nil : .nanoseconds(nanoseconds)
    }
    nonmutating set { nanoseconds.store(newValue.map { max($0.wholeNanoseconds, 1) } ?? 0, ordering: .relaxed) }
  }
}

/// When the tasks of one activity must end.
struct Deadline {
  private let date: SuspendingClock.Instant?

  init(for budget: borrowing Budget) { date = budget.duration.map { .now + $0 } }

  /// What is left until then, never below zero; `nil` without a budget.
  var timeLeft: Duration? { date.map { max(.zero, SuspendingClock.now.duration(to: $0)) } }

  @inline(__always)
  var hasPassed: Bool { date.map { SuspendingClock.now >= $0 } ?? false }
}
