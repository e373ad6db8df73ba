/// The tasks that run at one activity: those that had a place when it began.
struct Batch {
  /// How long a batch of idle tasks may take without a budget, in nanoseconds: a quarter of a frame at 60 a second.
  /// `IdleTests.afterASliceTimersAndSourcesGetTheirTurnAndTheRestStaysFirstInLine` needs one that is not much longer.
  private static let slice: Int64 = 4_000_000

  /// The lists that are due.
  let lists: ListSet
  /// The mode of the run.
  let mode: ModeID
  /// The position at which the batch began. It runs no task behind that.
  private let beginning: UInt64
  /// The same for the tasks for `.nextLoopBegan`; at an `entry`, the position of the last exit of a run of the mode.
  private let endOfNextLoopBegan: UInt64
  /// There is a budget, which is for all tasks. Otherwise only idle tasks have a deadline.
  let hasBudget: Bool
  /// The uptime in nanoseconds from which on no further task runs, `.max` for never.
  let deadline: Int64
  /// The task that runs is an idle one.
  var isInIdleTask = false

  /// - Parameters:
  ///   - lastExit: for an `entry`, when a run of the mode was last left.
  ///   - isSliced: whether idle tasks have a deadline without a budget, too.
  init(of lists: ListSet, in mode: ModeID, at beginning: UInt64, lastExit: UInt64?, budget: Int64, isSliced: Bool) {
    (self.lists, self.mode, self.beginning) = (lists, mode, beginning)
    endOfNextLoopBegan = lastExit ?? beginning
    hasBudget = budget < .max
    let limit = !hasBudget && isSliced ? Self.slice : budget
    // Without a deadline the clock is not read, because that takes as long as a task.
    deadline = limit == .max ? .max : TaskClock.uptime.date(after: limit)
  }

  /// The position before which a task of a list stands if the batch may run it.
  func end(of list: ListID) -> UInt64 { list == .nextLoopBegan ? endOfNextLoopBegan : beginning }

  /// What is left for the task that runs; `nil` without a deadline.
  var timeLeft: Int64? {
    guard deadline < .max, hasBudget || isInIdleTask else { return nil }
    return max(0, deadline - TaskClock.uptime)
  }
}
