import CoreFoundation
import Foundation

/// Wakes a loop from its next sleep in a mode, and in no other: a timer that is due at once.
struct WakeTimer {
  private let cf: CFRunLoopTimer

  init(_ loop: CFRunLoop, in mode: CFMode) {
    cf = CFRunLoopTimerCreate(kCFAllocatorDefault, CFAbsoluteTimeGetCurrent(), 0, 0, 0, { _, _ in }, nil)
    CFRunLoopAddTimer(loop, cf, mode)
  }

  /// - Returns: whether it had yet to wake the loop.
  @discardableResult
  func cancel() -> Bool {
    defer { CFRunLoopTimerInvalidate(cf) }
    return CFRunLoopTimerIsValid(cf)
  }
}
