/// What few tasks have: an order, several modes, a key, a time, or the place of another task.
///
/// The same thread or lock guards them as the task's variables, see `RunLoopTask`.
final class TaskOptions {
  var order = 0
  /// The modes, if there are several.
  var modes: [ModeID] = []

  var key: AnyHashable?
  var keyNumber: KeyNumber = 0
  /// The shortest time between the beginnings of two tasks with the key, in nanoseconds.
  var interval: Int64 = 0

  /// Until when the task waits: for its delay, and for the interval of its key.
  var delayEnd: Int64 = .min
  var intervalEnd: Int64 = .min
  /// When the task becomes due at any activity.
  var limitEnd: Int64 = .max
  var delayAlarm: Alarm?
  var limitAlarm: Alarm?

  /// When a task that took over an older place was made, and when it took that place, on the scale of positions.
  var ownPositions: (born: UInt64, ready: UInt64)?

  /// Until when the task is not due.
  var waitEnd: Int64 { max(delayEnd, intervalEnd) }
}
