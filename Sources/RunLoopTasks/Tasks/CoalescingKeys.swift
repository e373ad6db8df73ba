/// The pending task with each key, and the latest start of a task with each throttled key.
///
/// A lookup of a key calls its `==` and `hash(into:)`, which are user code.
struct CoalescingKeys {
  /// A task and its key, by which it is found.
  private struct KeyedTask: Hashable {
    let key: TaskKey
    var task: RunLoopTask?

    static func == (one: KeyedTask, other: KeyedTask) -> Bool { one.key == other.key }
    func hash(into hasher: inout Hasher) { hasher.combine(key) }
  }

  // Not a dictionary, which would keep the key of a task that is replaced.
  private var tasks: Set<KeyedTask> = []
  private var beginnings: [TaskKey: (date: Int64, alarm: Alarm)] = [:]

  var isEmpty: Bool { tasks.isEmpty && beginnings.isEmpty }

  /// The pending task with a key.
  subscript(key: TaskKey) -> RunLoopTask? {
    tasks.firstIndex(of: KeyedTask(key: key)).flatMap { tasks[$0].task }
  }

  /// Gives a key to a task.
  ///
  /// - Returns: the task that had an equal key until now.
  mutating func replaceTask(with key: TaskKey, by task: RunLoopTask) -> RunLoopTask? {
    tasks.update(with: KeyedTask(key: key, task: task))?.task
  }

  /// Removes a key and returns its task.
  mutating func removeTask(with key: TaskKey) -> RunLoopTask? {
    tasks.remove(KeyedTask(key: key))?.task
  }

  /// Removes and returns all keys.
  mutating func removeAll() -> [TaskKey] {
    defer { self = CoalescingKeys() }
    return tasks.map(\.key) + Array(beginnings.keys)
  }

  /// Notes that a task with a key begins.
  ///
  /// - Parameters:
  ///   - date: the date of the beginning.
  ///   - alarm: the alarm at which the key's interval ends.
  /// - Returns: the alarm of the previous beginning, if it was remembered.
  mutating func noteBeginning(of key: TaskKey, at date: Int64, until alarm: Alarm) -> Alarm? {
    beginnings.updateValue((date, alarm), forKey: key)?.alarm
  }

  /// The end of the key's interval, which began with the latest task with an equal key; `nil` if no beginning is
  /// remembered.
  func endOfInterval(of key: TaskKey) -> Int64? {
    guard key.interval > 0, !beginnings.isEmpty else { return nil }
    return beginnings[key]?.date.addingSaturated(key.interval)
  }

  /// Forgets when a task with a key began: its interval has ended.
  ///
  /// - Returns: the key that was stored.
  mutating func forgetBeginning(of key: TaskKey) -> TaskKey? {
    beginnings.index(forKey: key).map { beginnings.remove(at: $0).key }
  }
}
