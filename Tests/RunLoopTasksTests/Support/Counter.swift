import Synchronization

/// A number that several threads can increment.
final class Counter: Sendable {
  private let number = Atomic(0)

  var value: Int { number.load(ordering: .sequentiallyConsistent) }

  /// Adds one, and returns the new value.
  @discardableResult
  func count() -> Int { number.add(1, ordering: .sequentiallyConsistent).newValue }
}
