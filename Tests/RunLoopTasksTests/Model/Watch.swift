import CoreFoundation
import Foundation

@testable import RunLoopTasks

/// Sees from another thread whether a loop sleeps, and wakes it.
final class Watch: @unchecked Sendable {
  // Unchecked, because a loop is not Sendable; what is used of it may be called on any thread.
  private let loop = Locked<CFRunLoop?>(nil)
  private let broken = Locked(false)

  /// Whether the loop had to be woken, since this was last asked.
  func takeBroken() -> Bool {
    broken.withLock { isBroken in
      defer { isBroken = false }
      return isBroken
    }
  }

  /// Begins to watch the current thread's loop.
  func begin() { loop.withLock { $0 = CFRunLoopGetCurrent() } }

  func end() { loop.withLock { $0 = nil } }

  var isSleeping: Bool { loop.withLock { $0.map { CFRunLoopIsWaiting($0) } ?? false } }

  func breakSleep() {
    broken.withLock { $0 = true }
    loop.withLock {
      if let loop = $0 { CFRunLoopStop(loop) }
    }
  }
}
