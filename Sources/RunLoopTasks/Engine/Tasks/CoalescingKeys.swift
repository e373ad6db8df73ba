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

/// A key that tasks are coalesced by, and the shortest time between the beginnings of two tasks with it.
///
/// Two keys are equal if their values have the same type and are equal. What an optional or an `AnyHashable` contains
/// counts as the value. Objects are compared whatever their classes. A value not equal to itself, such as a
/// NaN, makes a key that equals only itself.
final class TaskKey: Hashable, AlarmEvent, @unchecked Sendable {
  // Unchecked, because only a key that was made from a `Sendable` value leaves its thread, and `task` belongs to the
  // loop's own thread.
  //
  // Not `AnyHashable`: it looks up a conformance for each value, which takes longer than the rest of coalescing.
  let value: any Hashable
  /// The hash of the value, computed once: less work, and an object is found again even if its hash has changed.
  private let hash: Int
  /// In nanoseconds.
  let interval: Int64
  /// The task with the key, until `CoalescingKeys` gives the key up. Until then the task is taken in, or whoever has
  /// just taken it out holds it, so no reference need be counted.
  unowned(unsafe) var task: RunLoopTask?

  @_specialize(where Value == String)  // most keys; saves the calls through the type's metadata
  init<Value: Hashable>(_ value: borrowing Value, atMostEvery interval: Duration = .zero) {
    let isWrapped = _isOptional(Value.self) || Value.self == AnyHashable.self
    self.value = isWrapped ? Self.unwrap(copy value) : copy value
    // Not `hashValue`, which may be an address.
    hash = isWrapped ? self.value._rawHashValue(seed: 0) : value._rawHashValue(seed: 0)
    self.interval = interval.attoseconds > 0 ? interval.wholeNanoseconds : 0  // attoseconds are inlined
  }

  /// The value in an optional, which `perform(coalescedBy:)` gets without the optional, or in an `AnyHashable`.
  private static func unwrap(_ value: any Hashable) -> any Hashable {
    let base = AnyHashable(value).base
    if let content = (base as? any Wrapping)?.wrapped as? any Hashable { return unwrap(content) }
    return base as? any Hashable ?? value
  }

  /// No alarm of a key is removed before its date.
  func alarmHasMoved(to _: Int) {}

  static func == (one: TaskKey, other: TaskKey) -> Bool { one === other || areEqual(one.value, other.value) }
  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
  /// What sets and dictionaries call. Otherwise they would hash the hash once more.
  func _rawHashValue(seed: Int) -> Int { hash ^ seed }

  static func areEqual<One: Hashable, Other: Hashable>(_ one: One, _ other: Other) -> Bool {
    if One.self == Other.self { return one == unsafeBitCast(other, to: One.self) }  // safe; a cast takes twice as long
    return One.self is AnyClass && Other.self is AnyClass && AnyHashable(one) == AnyHashable(other)
  }
}

/// An optional of any type.
private protocol Wrapping {
  var wrapped: Any? { get }
}

extension Optional: Wrapping {
  fileprivate var wrapped: Any? { self }
}
