import CoreFoundation
import Foundation

// For a thread that looks at another thread's loop, which may hang. Any thread may call these.
extension SystemLoop {
  /// The mode of the innermost run, `nil` outside a run.
  var runningMode: RunLoop.Mode? { copyCurrentModeName(cf).map { RunLoop.Mode(text(of: $0)) } }

  var isSleeping: Bool { CFRunLoopIsWaiting(cf) }

  /// Calls `body` on the loop's own thread, once a run of the mode comes to its blocks.
  func perform(in mode: RunLoop.Mode, _ body: @escaping @Sendable () -> Void) {
    CFRunLoopPerformBlock(cf, name(of: mode.cfMode), body)
    CFRunLoopWakeUp(cf)
  }
}
