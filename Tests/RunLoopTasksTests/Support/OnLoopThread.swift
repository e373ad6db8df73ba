import Foundation
import Testing

@testable import RunLoopTasks

/// How long a test may take before it counts as hung. No test waits for it to pass.
let watchdog = DispatchTimeInterval.seconds(300)

/// Calls `body` on a new thread, with a run loop of its own, and returns what it returns once the thread's body is done.
func onLoopThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
  let result = Box<Value?>(nil)
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    let value = body()
    result.value = value
    done.signal()
  }
  thread.start()
  done.waitOrDie("a test's thread")
  return result.value!
}

/// The same for a test that compares what happened, in order.
func eventsOnLoopThread(_ body: @escaping @Sendable (Log) -> Void) -> [String] {
  onLoopThread {
    let log = Log()
    body(log)
    return log.events
  }
}

/// Calls `body` on another thread and waits for it.
func elsewhere(_ body: @escaping @Sendable () -> Void) { onLoopThread(body) }

extension DispatchSemaphore {
  /// Waits for the signal; ends the test process instead of hanging if it never comes.
  func waitOrDie(_ what: String, patience: DispatchTimeInterval = watchdog) {
    guard wait(timeout: .now() + patience) == .success else { fatalError("watchdog: \(what) did not come to an end") }
  }
}

/// What happened, in order.
final class Log: Sendable {
  private let list = Locked<[String]>([])
  var events: [String] { list.withLock { $0 } }

  func callAsFunction(_ event: String) { list.withLock { $0.append(event) } }
}

/// Counts how many of it are alive.
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

/// Tells threads apart, also while they end.
struct ThreadID: Equatable, @unchecked Sendable {
  // Unchecked, because on Apple's platforms it is a pointer; it is only compared.
  private let thread = pthread_self()

  /// Not to be optimized: otherwise the compiler takes the answer for the same all through an async function.
  static var current: ThreadID {
    @_optimize(none) get { ThreadID() }
  }
}
