import Foundation

@testable import RunLoopTasks

/// The events of a test, in order.
final class Log: Sendable {
  private let list = Locked<[String]>([])
  var events: [String] { list.withLock { $0 } }

  func callAsFunction(_ event: String) { list.withLock { $0.append(event) } }
}

/// An object whose release is recorded.
final class Token: Sendable {
  private let onDeinit: @Sendable () -> Void

  init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }
  deinit { onDeinit() }

  func use() {}
}

/// A value that threads share.
final class Box<Value: Sendable>: Sendable {
  private let locked: Locked<Value>
  var value: Value {
    get { locked.withLock { $0 } }
    set { locked.withLock { $0 = newValue } }
  }

  init(_ value: Value) { locked = Locked(value) }

  func add<Element>(_ elements: [Element]) where Value == [Element] { locked.withLock { $0 += elements } }
}

/// A weak reference that shows whether a loop's engine was released.
struct WeakScheduler: Sendable {
  weak let scheduler: Scheduler?
  init(_ scheduler: Scheduler) { self.scheduler = scheduler }
}
