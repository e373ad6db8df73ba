import Foundation

/// A value behind a lock; `withLock` is the only way to it.
///
/// Not `Synchronization.Mutex`: on Linux the thread sanitizer does not see its locking, and reports what it guards as races. It
/// also costs several times as much there.
final class Locked<Value>: @unchecked Sendable {
  // Unchecked, because nothing reaches `value` but under the lock. It need not be checked for exclusive access either: who
  // took the lock again would wait for ever.
  private let lock = NSLock()
  @exclusivity(unchecked) private var value: Value

  init(_ value: Value) { self.value = value }

  /// Calls `body` with the lock held. It must not run code of the package's users, nor take the lock again.
  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }

  /// The same, unless another thread has the lock: for where to wait for it could be to wait for ever.
  ///
  /// - Returns: whether `body` was called.
  func withLockIfAvailable(_ body: (inout Value) throws -> Void) rethrows -> Bool {
    guard lock.try() else { return false }
    defer { lock.unlock() }
    try body(&value)
    return true
  }
}
