/// The properties that few tasks have: an order, several modes, a key, a delay, a limit, or the place of another task.
///
/// The thread or lock that guards the task's variables guards them, too; see `RunLoopTask`.
final class TaskOptions {
  var order = 0
  /// The modes, if there are several.
  var modes: [ModeID] = []

  var key: TaskKey?
  var keyNumber: KeyNumber = 0

  /// The ends of the task's delay and of its key's interval.
  var delayEnd: Int64 = .min
  var intervalEnd: Int64 = .min
  /// When the task becomes due at any activity.
  var limitEnd: Int64 = .max
  var delayAlarm: Alarm?
  var limitAlarm: Alarm?

  /// For a task that took over the place of another: its own first position, and the position at which it took the
  /// place.
  var ownPositions: (born: UInt64, ready: UInt64)?

  /// The time before which the task is not due.
  var waitEnd: Int64 { max(delayEnd, intervalEnd) }
}
