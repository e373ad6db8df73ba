/// What a task has besides its timing and its mode.
enum TaskExtras {
  case none
  /// A key only, which needs no further memory: with options, a task takes a fifth longer.
  case key(TaskKey)
  case options(TaskOptions)

  var isNone: Bool { if case .none = self { true } else { false } }
}

/// The properties that few tasks have: an order, several modes, a delay, an interval, a limit, or one of these and a
/// key.
///
/// The thread or lock that guards the task's variables guards them, too; see `RunLoopTask`.
final class TaskOptions {
  var order = 0
  /// The modes, if there are several.
  var modes: [ModeID] = []

  var key: TaskKey?
  /// The ends of the task's delay and of its key's interval, `.min` without one.
  var delayEnd: Int64 = .min
  var intervalEnd: Int64 = .min
  /// When the task becomes due at any activity: the end of its own limit, and that of the tasks that it has replaced.
  var limitEnd: Int64 = .max
  var inheritedLimitEnd: Int64 = .max
  /// Where the task's alarm is among the alarms.
  var alarm: Int?

  init(key: TaskKey?) { self.key = key }

  /// The limit that counts. A limit of its own never puts off an inherited one.
  var leastLimitEnd: Int64 { min(limitEnd, inheritedLimitEnd) }
}

extension RunLoopTask: AlarmEvent {
  func alarmHasMoved(to index: Int) { options?.alarm = index }

  var options: TaskOptions? { if case .options(let options) = extras { options } else { nil } }

  /// The task has one mode, and at most a key besides its timing. (One that had more at some time keeps its options.)
  var hasNoOptions: Bool { if case .options = extras { false } else { true } }

  /// The task has, or had, a delay or an interval.
  var hasTimeToWaitFor: Bool { options.map { max($0.delayEnd, $0.intervalEnd) > .min } ?? false }

  /// Returns the options, and creates them if the task has none.
  func makeOptions() -> TaskOptions {
    if case .options(let options) = extras { return options }
    let options = TaskOptions(key: key)
    extras = .options(options)
    return options
  }

  /// Makes a replacement due no later than the task that it replaces.
  func inheritLimit(of old: RunLoopTask) {
    guard let limitEnd = old.options?.leastLimitEnd, limitEnd < .max else { return }
    let options = makeOptions()
    options.inheritedLimitEnd = min(options.inheritedLimitEnd, limitEnd)
  }

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
}
