/// A key that tasks are coalesced by, and the shortest time between the beginnings of two tasks with it.
///
/// Two keys are equal if their values have the same type and are equal. Objects are compared whatever their classes.
final class TaskKey: Hashable, @unchecked Sendable {
  // Unchecked, because only a key that was made from a `Sendable` value leaves its thread.
  //
  // Not `AnyHashable`: it looks up a conformance for each value, which takes longer than the rest of coalescing.
  let value: any Hashable
  /// In nanoseconds.
  let interval: Int64
  /// `false` for a floating-point NaN, which equals no key.
  let isEqualToItself: Bool

  convenience init(_ value: some Hashable & Sendable, atMostEvery interval: Duration) {
    self.init(onOwnThread: value, atMostEvery: interval)
  }

  /// A key that stays on the loop's own thread.
  init(onOwnThread value: some Hashable, atMostEvery interval: Duration) {
    self.value = Self.unwrap(value)
    self.interval = interval > .zero ? interval.wholeNanoseconds : 0
    isEqualToItself = value == value
  }

  /// The value in an optional, which `perform(coalescedBy:)` gets without the optional, or in an `AnyHashable`.
  private static func unwrap<Value: Hashable>(_ value: Value) -> any Hashable {
    guard _isOptional(Value.self) || Value.self == AnyHashable.self else { return value }
    return AnyHashable(value).base as? any Hashable ?? value
  }

  static func == (one: TaskKey, other: TaskKey) -> Bool { areEqual(one.value, other.value) }
  func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }

  private static func areEqual<One: Hashable, Other: Hashable>(_ one: One, _ other: Other) -> Bool {
    if One.self == Other.self { return one == other as! One }
    return One.self is AnyClass && Other.self is AnyClass && AnyHashable(one) == AnyHashable(other)
  }
}
