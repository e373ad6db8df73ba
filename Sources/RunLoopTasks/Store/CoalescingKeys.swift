/// The pending task with each key, and the latest start of a task with each throttled key.
///
/// A lookup of a key calls the `==` of its value, which is user code.
struct CoalescingKeys {
  /// The keys of the pending tasks. Not a dictionary, which would keep the key of a task that is replaced.
  private var keys: Set<TaskKey> = []
  /// When the latest task with each throttled key began, and when its interval ends.
  private var beginnings: [TaskKey: (date: Int64, end: Int64)] = [:]
  /// When each of these intervals ends. The date is looked at anew then, because a later beginning may have put it off.
  private var intervals = Alarms<TaskKey>()

  /// When the first interval ends, `.max` for never.
  var earliestEnd: Int64 { intervals.earliest }

  /// The pending task with a key.
  subscript(key: TaskKey) -> RunLoopTask? {
    keys.firstIndex(of: key).flatMap { keys[$0].task }
  }

  /// Gives a key to a task.
  ///
  /// - Returns: the task that had an equal key until now.
  mutating func setTask(_ task: RunLoopTask, with key: TaskKey) -> RunLoopTask? {
    key.task = task
    return keys.update(with: key)?.task
  }

  mutating func removeTask(with key: TaskKey) {
    key.task = nil  // even if `==` has changed, and another key is removed
    keys.remove(key)
  }

  /// Notes that a task with a throttled key begins.
  mutating func noteBeginning(of key: TaskKey, at date: Int64) {
    let end = date.date(after: key.interval)
    if beginnings.updateValue((date, end), forKey: key) == nil { intervals.add(end, key) }
  }

  /// When the interval of the key ends, counted from the start of the latest task with an equal key; `nil` without an
  /// interval, without such a start, or once the interval of the started task has ended.
  func endOfInterval(of key: TaskKey, at date: Int64) -> Int64? {
    guard key.interval > 0, let latest = beginnings[key], latest.end > date else { return nil }
    return latest.date.date(after: key.interval)
  }

  /// Forgets the beginnings whose intervals have ended by a date.
  ///
  /// - Returns: their keys.
  mutating func forgetBeginnings(until date: Int64) -> [TaskKey] {
    var forgotten: [TaskKey] = []
    while let key = intervals.removeFirst(notAfter: date) {
      if let end = beginnings[key]?.end, end > date {
        intervals.add(end, key)
      } else {
        beginnings[key] = nil
        forgotten.append(key)
      }
    }
    return forgotten
  }
}
