import Synchronization

/// How long the tasks of one activity may take. Any thread may change it.
struct Budget: ~Copyable, Sendable {
  /// `.max` for no limit.
  private let value = Atomic<Int64>(.max)

  /// The limit in nanoseconds, `.max` without one.
  var nanoseconds: Int64 { value.load(ordering: .relaxed) }

  var duration: Duration? {
    get {
      let nanoseconds = nanoseconds
      return nanoseconds == .max ? nil : .nanoseconds(nanoseconds)
    }
    nonmutating set {
      value.store(newValue.map { min(max($0.wholeNanoseconds, 1), .max - 1) } ?? .max, ordering: .relaxed)
    }
  }
}

/// The batch of tasks that is running. Dates are in nanoseconds of the uptime.
struct Batch {
  /// The time that the idle tasks of a batch have, even if nothing else is due. `requestIdleCallback` promises the same.
  private static let idleTime: Int64 = 50_000_000

  /// The mode of the run.
  let mode: ModeID
  let beginning = TaskClock.uptime
  /// When the budget is used up, `.max` without one.
  let end: Int64
  /// How many times of tasks had ended when the batch began; see `PendingTasks`.
  let timesEnded: Int
  /// Whether the task that runs is an idle one.
  var isInIdleTask = false

  init(in mode: ModeID, _ budget: borrowing Budget, timesEnded: Int) {
    (self.mode, self.timesEnded) = (mode, timesEnded)
    end = beginning.addingSaturated(budget.nanoseconds)
  }

  /// When idle tasks must end.
  var idleEnd: Int64 { min(end, beginning + Self.idleTime) }

  /// Whether the budget is used up.
  var isOver: Bool {
    @inline(__always) get { end != .max && TaskClock.uptime >= end }
  }
}
