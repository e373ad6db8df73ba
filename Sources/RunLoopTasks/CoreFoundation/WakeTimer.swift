import CoreFoundation
import Foundation

/// Wakes a loop from its next sleep in a mode, and in no other: a timer that is due at once, or after a nap.
struct WakeTimer {
  private let cf: CFRunLoopTimer

  init(_ loop: CFRunLoop, in mode: CFMode, after seconds: CFTimeInterval) {
    cf = CFRunLoopTimerCreate(kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() + seconds, 0, 0, 0, { _, _ in }, nil)
    CFRunLoopAddTimer(loop, cf, mode)
  }

  /// - Returns: whether it had yet to wake the loop.
  @discardableResult
  func cancel() -> Bool {
    defer { CFRunLoopTimerInvalidate(cf) }
    return CFRunLoopTimerIsValid(cf)
  }
}
