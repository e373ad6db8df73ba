import Foundation
import Synchronization

/// The events of a test, in order.
final class Log: Sendable {
  private let list = Box<[String]>([])
  var events: [String] { list.value }

  func callAsFunction(_ event: String) { list.add([event]) }
}

/// An object whose release is recorded.
final class Token: Sendable {
  private let onDeinit: @Sendable () -> Void

  init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }
  deinit { onDeinit() }

  /// A closure that calls this keeps the token, also in an optimized build.
  func use() { withExtendedLifetime(self) {} }
}

/// A value that threads share, behind a lock.
final class Box<Value: Sendable>: @unchecked Sendable {
  // Unchecked, because the lock protects `locked`. On Linux the thread sanitizer would not see a `Mutex`.
  private let lock = NSLock()
  private var locked: Value
  var value: Value {
    get { withLock { $0 } }
    set { withLock { $0 = newValue } }
  }

  init(_ value: Value) { locked = value }

  func add<Element>(_ elements: [Element]) where Value == [Element] { withLock { $0 += elements } }

  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&locked)
  }
}

/// A number that several threads can increment.
final class Counter: Sendable {
  private let number = Atomic(0)

  var value: Int { number.load(ordering: .sequentiallyConsistent) }

  /// Adds one, and returns the new value.
  @discardableResult
  func count() -> Int { number.add(1, ordering: .sequentiallyConsistent).newValue }
}

/// A closure that calls `body` when it is released.
///
/// A test passes the closure on at once, so that it holds no reference of its own.
func closure(whenReleased body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
  let token = Token(body)
  return { token.use() }
}
