import Foundation
import Synchronization

/// A value behind a lock. Not `Synchronization.Mutex`, whose locking the thread sanitizer does not see on Linux.
final class Guarded<Value>: @unchecked Sendable {
  // Unchecked, because nothing reaches `value` but under the lock.
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}

/// A number that threads count up and down.
final class Counter: Sendable {
  private let number = Atomic(0)

  var value: Int { number.load(ordering: .sequentiallyConsistent) }

  /// Adds, and returns the new value.
  @discardableResult
  func add(_ change: Int = 1) -> Int { number.add(change, ordering: .sequentiallyConsistent).newValue }
}

/// Something that happens once, and then has happened.
final class Flag: Sendable {
  private let bit = Atomic(false)

  var isSet: Bool { bit.load(ordering: .sequentiallyConsistent) }

  /// - Returns: whether it was not set before.
  @discardableResult
  func set() -> Bool { !bit.exchange(true, ordering: .sequentiallyConsistent) }
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

extension RunLoop.Mode {
  /// A mode that is none of the common modes. Loops run in it only nested in a task, or when driven by hand.
  static let custom = RunLoop.Mode("soak")
  static let neverRun = RunLoop.Mode("soak, never run")
}
