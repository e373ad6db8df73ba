/// What a task has besides its timing and its mode.
enum TaskExtras {
  case none
  /// A key only, which needs no further memory.
  case key(TaskKey)
  case options(TaskOptions)

  var isNone: Bool {
    @inline(__always) get { if case .none = self { true } else { false } }
  }
}

/// The properties that few tasks have: an order, several modes, a delay, a limit, the place of another task, or one of
/// these and a key.
///
/// The thread or lock that guards the task's variables guards them, too; see `RunLoopTask`.
final class TaskOptions {
  var order = 0
  /// The modes, if there are several.
  var modes: [ModeID] = []

  var key: TaskKey?
  var keyNumber: KeyNumber = 0

  /// The ends of the task's delay, `.min` without one or once it has ended, and of its key's interval.
  var delayEnd: Int64 = .min
  var intervalEnd: Int64 = .min
  /// When the task becomes due at any activity.
  var limitEnd: Int64 = .max
  /// The alarm for which the task waits.
  var waitAlarm: Alarm?
  var limitAlarm: Alarm?

  /// For a task that took over the place of another: its own first position, and the position at which it took the
  /// place.
  var ownPositions: (born: UInt64, ready: UInt64)?

  /// The time before which the task is not due.
  var waitEnd: Int64 { max(delayEnd, intervalEnd) }
}

extension RunLoopTask {
  var options: TaskOptions? {
    @inline(__always) get { if case .options(let options) = extras { options } else { nil } }
  }

  /// The options. The getter creates them if the task has none.
  var madeOptions: TaskOptions {
    if let options { return options }
    let made = TaskOptions()
    made.key = key
    extras = .options(made)
    return made
  }

  /// Whether the task has a place in line, which it gets when its delay has ended.
  var hasPlace: Bool { options?.delayEnd ?? .min == .min }

  var key: TaskKey? {
    get {
      switch extras {
      case .none: nil
      case .key(let key): key
      case .options(let options): options.key
      }
    }
    set {
      if let options { options.key = newValue } else { extras = newValue.map { .key($0) } ?? .none }
    }
  }

  var keyNumber: KeyNumber {
    get { options?.keyNumber ?? 0 }
    set { if options != nil || newValue != 0 { madeOptions.keyNumber = newValue } }
  }
}
