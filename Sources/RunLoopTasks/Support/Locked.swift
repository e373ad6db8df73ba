import Foundation

/// A value behind a lock; `withLock` is the only way to it.
final class Locked<Value>: @unchecked Sendable {
  // Unchecked, because nothing reaches `value` but under the lock. For the same reason exclusive access need not be checked.
  private let lock = Lock()
  @exclusivity(unchecked) private var value: Value

  init(_ value: Value) { self.value = value }

  /// Calls `body` with the lock held. It must not run code of the package's users, nor take the lock again.
  @inline(__always)
  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
