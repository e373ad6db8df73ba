/// A key that tasks are coalesced by, and the shortest time between the beginnings of two tasks with it.
///
/// Two keys are equal if their values have the same type and are equal. Objects are compared whatever their classes. A
/// key whose value equals nothing, such as a NaN, equals itself alone.
final class TaskKey: Hashable, @unchecked Sendable {
  // Unchecked, because only a key that was made from a `Sendable` value leaves its thread, and `task` belongs to the
  // loop's own thread.
  //
  // Not `AnyHashable`: it looks up a conformance for each value, which takes longer than the rest of coalescing.
  let value: any Hashable
  /// In nanoseconds.
  let interval: Int64
  /// The task with the key, as long as `CoalescingKeys` has it. Then the task is pending, or whoever has just taken it out
  /// holds it, so no reference need be counted.
  unowned(unsafe) var task: RunLoopTask?

  init<Value: Hashable>(_ value: borrowing Value, atMostEvery interval: Duration = .zero) {
    let isWrapped = _isOptional(Value.self) || Value.self == AnyHashable.self
    self.value = isWrapped ? Self.unwrap(copy value) : copy value
    self.interval = interval > .zero ? interval.wholeNanoseconds : 0
  }

  /// The value in an optional, which `perform(coalescedBy:)` gets without the optional, or in an `AnyHashable`.
  private static func unwrap(_ value: any Hashable) -> any Hashable {
    let base = AnyHashable(value).base
    if let content = (base as? any Wrapping)?.wrapped as? any Hashable { return unwrap(content) }
    return base as? any Hashable ?? value
  }

  static func == (one: TaskKey, other: TaskKey) -> Bool { one === other || areEqual(one.value, other.value) }
  func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }

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
