/// Which pending task has which key, and when tasks with a throttled key began.
///
/// Looking for a key calls its `==` and `hash(into:)`, which are code of the package's users.
struct CoalescingKeys {
  private var tasks: [AnyHashable: RunLoopTask] = [:]
  private var beginnings: [AnyHashable: (date: Int64, alarm: Alarm)] = [:]
  private var intervals = AlarmHeap()

  var isEmpty: Bool { tasks.isEmpty && beginnings.isEmpty }

  /// The pending task with a key.
  subscript(key: AnyHashable) -> RunLoopTask? {
    get { tasks[key] }
    set { tasks[key] = newValue }
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
  ///   - interval: for how long to remember it, in nanoseconds.
  ///   - now: the date.
  mutating func noteBeginning(of key: AnyHashable, interval: Int64, at now: Int64) {
    if let old = beginnings.removeValue(forKey: key) { intervals.remove(old.alarm) }
    guard interval > 0 else { return }
    beginnings[key] = (now, intervals.add(now.addingSaturated(interval), .interval(key)))
  }

  /// When an interval ends that began with the latest task with the key, as far as that is remembered.
  func end(ofInterval interval: Int64, for key: AnyHashable) -> Int64? {
    guard interval > 0, !beginnings.isEmpty else { return nil }
    return beginnings[key]?.date.addingSaturated(interval)
  }

  /// When the earliest interval ends.
  var earliestAlarm: Int64? { intervals.earliest }

  /// Forgets the keys whose interval has ended, and returns them.
  mutating func letTimePass(until now: Int64) -> [AnyHashable] {
    var ended: [AnyHashable] = []
    while let alarm = intervals.removeFirst(notAfter: now) {
      guard case .interval(let key) = alarm.event else { continue }
      beginnings[key] = nil
      ended.append(key)
    }
    return ended
  }
}
