@testable import RunLoopTasks

/// A pending task, in the simplest form.
final class SimplestTask {
  let task: RunLoopTask
  var modes: [ModeID]
  var timing: RunLoopTask.Timing
  var order = 0
  var (delayEnd, intervalEnd, limitEnd) = (Int64.min, Int64.min, Int64.max)
  /// `nil` while the task waits for its delay.
  var place: UInt64?
  var isWaiting = false
  var inheritedLimitEnd = Int64.max
  var isOverdue = false
  var (ready, born) = (UInt64.max, UInt64.max)
  /// Tells which of two tasks has begun to wait first.
  var waitNumber: UInt64 = 0
  /// Tells when its limit was set.
  var limitNumber: UInt64 = 0

  init(_ task: RunLoopTask, _ timing: RunLoopTask.Timing, _ modes: [ModeID]) {
    (self.task, self.timing, self.modes) = (task, timing, modes)
  }

  var leastLimitEnd: Int64 { min(limitEnd, inheritedLimitEnd) }

  /// When the delay ends, or the interval that the task then waits for.
  var nextEnd: Int64 { place == nil ? delayEnd : intervalEnd }
}
