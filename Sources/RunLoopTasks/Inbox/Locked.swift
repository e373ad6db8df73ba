import Foundation

/// A value behind a lock. Only `withLock` accesses it. Programs of the package use it, too, because on Linux the thread
/// sanitizer doesn't see a `Mutex`.
package final class Locked<Value>: @unchecked Sendable {
  // Unchecked, because only `withLock` accesses `value`. For the same reason, Swift need not check exclusive access.
  private let lock: Lock
  @exclusivity(unchecked) private var value: Value

  package init(_ value: Value, lock: Lock = Lock()) { (self.value, self.lock) = (value, lock) }

  /// Calls `body` with the lock held. `body` must not take the lock again, nor run user code but the `==` of keys.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
