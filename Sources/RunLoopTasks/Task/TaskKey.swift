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

  /// - Returns: `nil` for an optional without a value, which is no key.
  @_specialize(where Value == String)  // most keys; saves the calls through the type's metadata
  init?<Value: Hashable>(_ value: borrowing Value, atMostEvery interval: Duration = .zero) {
    let isWrapped = _isOptional(Value.self) || Value.self == AnyHashable.self
    guard let content = isWrapped ? Self.unwrap(copy value) : copy value else { return nil }
    self.value = content
    // Not `hashValue`, which may be an address.
    hash = isWrapped ? content._rawHashValue(seed: 0) : value._rawHashValue(seed: 0)
    self.interval = interval.attoseconds > 0 ? interval.wholeNanoseconds : 0  // attoseconds are inlined
  }

  /// The value in an optional, which `perform(coalescedBy:)` gets without the optional, or in an `AnyHashable`.
  private static func unwrap(_ value: any Hashable) -> (any Hashable)? {
    let base = AnyHashable(value).base
    if let optional = base as? any Wrapping { return (optional.wrapped as? any Hashable).flatMap(unwrap) }
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
