/// The pending task with each key, and the latest start of a task with each throttled key.
///
/// A lookup of a key calls its `==` and `hash(into:)`, which are user code.
struct CoalescingKeys {
  private var tasks: [AnyHashable: RunLoopTask] = [:]
  private var beginnings: [AnyHashable: (date: Int64, alarm: Alarm)] = [:]

  var isEmpty: Bool { tasks.isEmpty && beginnings.isEmpty }

  /// The pending task with a key.
  subscript(key: AnyHashable) -> RunLoopTask? { tasks[key] }

  /// Gives a key to a task.
  ///
  /// - Returns: the task that had an equal key until now.
  mutating func replaceTask(with key: AnyHashable, by task: RunLoopTask) -> RunLoopTask? {
    let old = tasks.removeValue(forKey: key)  // `updateValue` would keep the old key
    tasks[key] = task
    return old
  }

  /// Removes a key and returns its task.
  mutating func removeTask(with key: AnyHashable) -> RunLoopTask? { tasks.removeValue(forKey: key) }

  /// Removes and returns all keys.
  mutating func removeAll() -> [AnyHashable] {
    defer { self = CoalescingKeys() }
    return Array(tasks.keys) + Array(beginnings.keys)
  }

  /// Notes that a task with a key begins.
  ///
  /// - Parameters:
  ///   - date: the date of the beginning.
  ///   - alarm: the alarm at which the key's interval ends.
  /// - Returns: the alarm of the previous beginning, if it was remembered.
  mutating func noteBeginning(of key: AnyHashable, at date: Int64, until alarm: Alarm) -> Alarm? {
    beginnings.updateValue((date, alarm), forKey: key)?.alarm
  }

  /// The end of an interval that began with the latest task with the key; `nil` if no beginning is remembered.
  func end(ofInterval interval: Int64, for key: AnyHashable) -> Int64? {
    guard interval > 0, !beginnings.isEmpty else { return nil }
    return beginnings[key]?.date.addingSaturated(interval)
  }

  /// Forgets when a task with a key began: its interval has ended.
  mutating func forgetBeginning(of key: AnyHashable) { beginnings[key] = nil }
}
