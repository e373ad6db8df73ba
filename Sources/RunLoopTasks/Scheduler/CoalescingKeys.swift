/// Which pending task has which key, and when tasks with a throttled key began.
///
/// Looking for a key calls its `==` and `hash(into:)`, which are code of the package's users.
struct CoalescingKeys {
  private var tasks: [AnyHashable: RunLoopTask] = [:]
  private var beginnings: [AnyHashable: (date: Int64, alarm: Alarm)] = [:]

  var isEmpty: Bool { tasks.isEmpty && beginnings.isEmpty }

  /// The pending task with a key.
  subscript(key: AnyHashable) -> RunLoopTask? { tasks[key] }

  /// Gives a key to a task.
  ///
  /// - Returns: the task that had an equal key, which is not kept any more.
  mutating func replaceTask(with key: AnyHashable, by task: RunLoopTask) -> RunLoopTask? {
    let old = tasks.removeValue(forKey: key)  // `updateValue` would keep the old key
    tasks[key] = task
    return old
  }

  /// Forgets a key, and returns its task.
  mutating func removeTask(with key: AnyHashable) -> RunLoopTask? { tasks.removeValue(forKey: key) }

  /// All keys, none of which is kept any more.
  mutating func removeAll() -> [AnyHashable] {
    defer { self = CoalescingKeys() }
    return Array(tasks.keys) + Array(beginnings.keys)
  }

  /// Notes that a task with a key begins.
  ///
  /// - Parameters:
  ///   - date: the date.
  ///   - alarm: until when to remember it.
  /// - Returns: the alarm of the beginning that was remembered until now.
  mutating func noteBeginning(of key: AnyHashable, at date: Int64, until alarm: Alarm) -> Alarm? {
    beginnings.updateValue((date, alarm), forKey: key)?.alarm
  }

  /// When an interval ends that began with the latest task with the key, as far as that is remembered.
  func end(ofInterval interval: Int64, for key: AnyHashable) -> Int64? {
    guard interval > 0, !beginnings.isEmpty else { return nil }
    return beginnings[key]?.date.addingSaturated(interval)
  }

  /// Forgets when a task with a key began: its interval has ended.
  mutating func forgetBeginning(of key: AnyHashable) { beginnings[key] = nil }
}
