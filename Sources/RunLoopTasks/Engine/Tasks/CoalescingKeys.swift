/// The keys that pending tasks have, or whose throttle's interval has not ended.
///
/// A lookup of a key calls the `==` of its value, which is user code.
struct CoalescingKeys {
  /// Of equal keys the latest. Not a dictionary, which would keep the key of a task that is replaced.
  private var keys: Set<TaskKey> = []

  /// The key that is equal to a key.
  subscript(key: TaskKey) -> TaskKey? { keys.firstIndex(of: key).map { keys[$0] } }

  /// Gives a key to a task.
  ///
  /// - Returns: the task that had an equal key until now.
  mutating func replaceTask(with key: TaskKey, by task: RunLoopTask) -> RunLoopTask? {
    key.task = task
    let old = keys.update(with: key)
    key.beginning = old?.beginning ?? .min
    return old?.task
  }

  /// Removes a key, unless it has a task or is in an interval.
  mutating func removeIfUnused(_ key: TaskKey) {
    if key.task == nil, key.beginning == .min { keys.remove(key) }
  }

  /// Removes and returns all keys.
  mutating func removeAll() -> Set<TaskKey> {
    defer { keys = [] }
    return keys
  }
}

extension TaskKey: AlarmEvent {
  /// No alarm of a key is removed before its date.
  func alarmHasMoved(to _: Int) {}
}

/// A key that tasks are coalesced by, and the shortest time between the beginnings of two tasks with it.
///
/// Two keys are equal if their values have the same type and are equal. Objects are compared whatever their classes. A
/// key whose value equals nothing, such as a NaN, equals itself alone.
final class TaskKey: Hashable, @unchecked Sendable {
  // Unchecked, because only a key that was made from a `Sendable` value leaves its thread, and its variables
  // belong to the loop's own thread.
  //
  // Not `AnyHashable`: it looks up a conformance for each value, which takes longer than the rest of coalescing.
  let value: any Hashable
  /// The hash of the value, computed once: less work, and an object is found again even if its hash has changed.
  private let hash: Int
  /// In nanoseconds.
  let interval: Int64
  /// The task with the key, as long as `CoalescingKeys` has it. Then the task is pending, or whoever has just taken it out
  /// holds it, so no reference need be counted.
  unowned(unsafe) var task: RunLoopTask?
  /// When the latest throttled task with an equal key began, as long as that task's interval lasts; otherwise `.min`.
  var beginning = Int64.min

  init<Value: Hashable>(_ value: borrowing Value, atMostEvery interval: Duration = .zero) {
    let isWrapped = _isOptional(Value.self) || Value.self == AnyHashable.self
    self.value = isWrapped ? Self.unwrap(copy value) : copy value
    hash = isWrapped ? self.value.hashValue : value.hashValue
    self.interval = interval > .zero ? interval.wholeNanoseconds : 0
  }

  /// The value in an optional, which `perform(coalescedBy:)` gets without the optional, or in an `AnyHashable`.
  private static func unwrap(_ value: any Hashable) -> any Hashable {
    let base = AnyHashable(value).base
    if let content = (base as? any Wrapping)?.wrapped as? any Hashable { return unwrap(content) }
    return base as? any Hashable ?? value
  }

  /// When the interval ends that began with the latest task, for a task with this key.
  var intervalEnd: Int64 { beginning.addingSaturated(interval) }

  static func == (one: TaskKey, other: TaskKey) -> Bool { one === other || areEqual(one.value, other.value) }
  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
  /// What sets and dictionaries call. Without it, they would hash the hash once more.
  func _rawHashValue(seed: Int) -> Int { hash ^ seed }

  private static func areEqual<One: Hashable, Other: Hashable>(_ one: One, _ other: Other) -> Bool {
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
