import Synchronization

/// The tasks that run at one activity: those that were in line when it began.
struct Batch {
  /// How long a batch of idle tasks may take without a budget, in nanoseconds.
  private static let slice: Int64 = 4_000_000

  /// The lists that are due.
  let lists: ListSet
  /// The mode of the run.
  let mode: ModeID
  /// The position at which the batch began. It runs no task behind that.
  private let beginning: UInt64
  /// The same for the tasks for `.nextLoopBegan`; at an `entry`, no later than the last exit of a run of the mode.
  private let endOfNextLoopBegan: UInt64
  /// The uptime in nanoseconds from which on no further task runs, `.max` without a budget.
  let deadline: Int64
  /// The same for idle tasks.
  let idleDeadline: Int64
  /// The task that runs is an idle one.
  var isInIdleTask = false

  /// - Parameters:
  ///   - lastExit: for an `entry`, when a run of the mode was last left.
  ///   - isSliced: whether idle tasks have a deadline without a budget, too.
  init(of lists: ListSet, in mode: ModeID, at beginning: UInt64, lastExit: UInt64?, budget: Int64, isSliced: Bool) {
    (self.lists, self.mode, self.beginning) = (lists, mode, beginning)
    endOfNextLoopBegan = min(lastExit ?? beginning, beginning)
    let idleLimit = budget == .max && isSliced ? Self.slice : budget
    // Without a deadline the clock is not read, because that would cost as much as a task.
    let now = idleLimit == .max ? 0 : TaskClock.uptime
    deadline = budget == .max ? .max : now.addingSaturated(budget)
    idleDeadline = now.addingSaturated(idleLimit)
  }

  /// The position before which a task of a list stands if the batch may run it.
  func end(of list: ListKind) -> UInt64 { list == .nextLoopBegan ? endOfNextLoopBegan : beginning }

  /// What is left for the task that runs; `nil` without a deadline.
  var timeLeft: Int64? {
    let deadline = isInIdleTask ? idleDeadline : deadline
    return deadline == .max ? nil : max(0, deadline - TaskClock.uptime)
  }
}

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
