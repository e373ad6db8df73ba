/// The idle tasks of a mode wait, because a batch was cut short, until the loop has looked at everything else.
struct Yielding {
  let mode: ModeID
  /// The waiting ends with so many exits of runs: a run that does not come to sleep serves its sources and one port, and
  /// timers and the main queue have a port each.
  var exits = 2
  /// The loop has been called back, behind its timers. The waiting ends at the next `beforeWaiting`, before which the loop
  /// serves its sources.
  var wasCalledBack = false
}

/// The tasks that run at one activity: those that were in line when it began.
struct Batch {
  /// How long a batch of idle tasks takes without a budget, in nanoseconds.
  private static let slice: Int64 = 4_000_000

  /// The mode of the run.
  let mode: ModeID
  /// The position at which it began. It runs no task behind that.
  let lineEnd: UInt64
  /// At an `entry` only the tasks for `.nextLoopBegan` are due that were in line when a run of the mode was last left.
  let lastExit: UInt64
  /// When its tasks, and when idle ones at the latest must give way to the next pass, in nanoseconds of the uptime;
  /// `.max` for never.
  let deadline: Int64
  let idleDeadline: Int64
  /// The task that runs is an idle one.
  var isInIdleTask = false

  /// - Parameter isSliced: whether idle tasks end after a while without a budget, too.
  init(in mode: ModeID, lineEnd: UInt64, lastExit: UInt64?, budget: Int64, isSliced: Bool) {
    (self.mode, self.lineEnd, self.lastExit) = (mode, lineEnd, min(lastExit ?? lineEnd, lineEnd))
    let slice = budget == .max && isSliced ? Self.slice : budget
    // Reading the clock would cost as much as a task.
    let now = slice == .max ? 0 : TaskClock.uptime
    deadline = budget == .max ? .max : now.addingSaturated(budget)
    idleDeadline = now.addingSaturated(slice)
  }

  /// The position before which a task of a list was in line if the batch may run it.
  func lineEnd(of list: List) -> UInt64 { list == .nextLoopBegan ? lastExit : lineEnd }

  /// What is left for the task that runs; `nil` if there is no end.
  var timeLeft: Int64? {
    let deadline = isInIdleTask ? idleDeadline : deadline
    return deadline == .max ? nil : max(0, deadline - TaskClock.uptime)
  }
}
