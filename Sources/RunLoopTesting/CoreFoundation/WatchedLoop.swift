import CoreFoundation
import Foundation
import RunLoopTasks

/// The loop of a test, which may hang, as other threads see it.
struct WatchedLoop: @unchecked Sendable {
  // Unchecked, because CoreFoundation guards the loop by locks of its own.
  private let cf: CFRunLoop

  static var current: WatchedLoop { WatchedLoop(cf: CFRunLoopGetCurrent()) }

  /// The mode in which the loop runs, `nil` outside a run, and whether it sleeps.
  var run: (mode: RunLoop.Mode, isSleeping: Bool)? {
    copyCurrentModeName(cf).map { (RunLoop.Mode(text(of: $0)), CFRunLoopIsWaiting(cf)) }
  }

  /// Calls `body` whenever a run of the main loop begins in a common mode, from now on.
  static func observeRunsOfMainLoop(_ body: @escaping () -> Void) {
    let observer = CFRunLoopObserverCreateWithHandler(nil, CFRunLoopActivity.entry.rawValue, true, .min) { _, _ in
      body()
    }
    CFRunLoopAddObserver(CFRunLoopGetMain(), observer, RunLoop.Mode.common.cfMode)
  }

  /// Calls `body` on the loop's own thread between two tasks, timers or sources of a run in the mode. It schedules
  /// nothing.
  func interrupt(in mode: RunLoop.Mode, _ body: @escaping @Sendable () -> Void) {
    CFRunLoopPerformBlock(cf, name(of: mode.cfMode), body)
    CFRunLoopWakeUp(cf)
  }
}
