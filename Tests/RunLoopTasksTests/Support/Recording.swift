import Foundation
import Synchronization

/// The events of a test, in order.
final class Log: Sendable {
  private let list = Mutex<[String]>([])
  var events: [String] { list.withLock { $0 } }

  func callAsFunction(_ event: String) { list.withLock { $0.append(event) } }
}

/// An object whose release is recorded.
final class Token: Sendable {
  private let onDeinit: @Sendable () -> Void

  init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }
  deinit { onDeinit() }

  /// A closure that calls this keeps the token, also in an optimized build.
  func use() { withExtendedLifetime(self) {} }
}

/// A value that threads share.
final class Box<Value: Sendable>: Sendable {
  private let locked: Mutex<Value>
  var value: Value {
    get { locked.withLock { $0 } }
    set { locked.withLock { $0 = newValue } }
  }

  init(_ value: Value) { locked = Mutex(value) }

  func add<Element>(_ elements: [Element]) where Value == [Element] { locked.withLock { $0 += elements } }
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
