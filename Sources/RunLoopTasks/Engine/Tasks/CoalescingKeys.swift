/// The pending task with each key, and the latest start of a task with each throttled key.
///
/// A lookup of a key calls its `==` and `hash(into:)`, which are user code.
struct CoalescingKeys {
  /// The keys of the pending tasks. Not a dictionary, which would keep the key of a task that is replaced.
  private var keys: Set<TaskKey> = []
  /// When the latest task with each throttled key began, and when its interval ends.
  private var beginnings: [TaskKey: (date: Int64, end: Int64)] = [:]

  /// The pending task with a key.
  subscript(key: TaskKey) -> RunLoopTask? {
    keys.firstIndex(of: key).flatMap { keys[$0].task }
  }

  /// Gives a key to a task.
  ///
  /// - Returns: the task that had an equal key until now.
  mutating func replaceTask(with key: TaskKey, by task: RunLoopTask) -> RunLoopTask? {
    key.task = task
    return keys.update(with: key)?.task
  }

  mutating func removeTask(with key: TaskKey) { keys.remove(key) }

  /// Removes and returns all keys.
  mutating func removeAll() -> [TaskKey] {
    defer { self = CoalescingKeys() }
    return Array(keys) + Array(beginnings.keys)
  }

  /// Notes that a task with a throttled key begins.
  ///
  /// - Returns: whether no earlier beginning is remembered.
  mutating func noteBeginning(of key: TaskKey, at date: Int64, until end: Int64) -> Bool {
    beginnings.updateValue((date, end), forKey: key) == nil
  }

  /// When the interval of the key ends, counted from the start of the latest task with an equal key; `nil` without an
  /// interval, without such a start, or once the interval of the started task has ended.
  func endOfInterval(of key: TaskKey, at date: Int64) -> Int64? {
    guard key.interval > 0, let latest = beginnings[key], latest.end > date else { return nil }
    return latest.date.addingSaturated(key.interval)
  }

  /// Forgets when the latest task with a key began, if its interval has ended at a date.
  ///
  /// - Returns: the end of the interval if it has not ended, because a later task has begun since.
  mutating func forgetBeginning(of key: TaskKey, at date: Int64) -> Int64? {
    if let end = beginnings[key]?.end, end > date { return end }
    beginnings[key] = nil
    return nil
  }
}

extension TaskKey: AlarmEvent {
  /// No alarm of a key is removed before its date.
  func alarmHasMoved(to _: Int) {}
}
