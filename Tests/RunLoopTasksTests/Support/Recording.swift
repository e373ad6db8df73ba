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
