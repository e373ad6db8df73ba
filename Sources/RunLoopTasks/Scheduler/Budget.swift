import Synchronization

/// How long the tasks of one activity may take; any thread may change it at any time.
struct Budget: ~Copyable, Sendable {
  /// Zero for no limit.
  private let nanoseconds = Atomic<Int64>(0)

  var duration: Duration? {
    get {
      let nanoseconds = nanoseconds.load(ordering: .relaxed)
      return nanoseconds == 0 ? nil : .nanoseconds(nanoseconds)
    }
    nonmutating set {
      nanoseconds.store(newValue.map { max(Self.wholeNanoseconds($0), 1) } ?? 0, ordering: .relaxed)
    }
  }

  private static func wholeNanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isStillTooLong) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isTooLong || isStillTooLong ? .max : sum
  }
}

/// Measures the tasks of one activity against the budget.
struct Stopwatch {
  private var start: SuspendingClock.Instant?

  init(for budget: borrowing Budget) { start = budget.duration == nil ? nil : .now }

  /// Whether the budget is used up. One that is set while the tasks run counts from then on.
  @inline(__always)
  mutating func hasUsedUp(_ budget: borrowing Budget) -> Bool {
    guard let limit = budget.duration else {
      start = nil
      return false
    }
    let now = SuspendingClock.now
    guard let start else {
      start = now
      return false
    }
    return now - start >= limit
  }
}
