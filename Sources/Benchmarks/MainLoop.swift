import CoreFoundation
import Foundation

/// The main loop as the race drives it: with CoreFoundation alone, so that in a process that measures another peer the
/// package is never used.
enum MainLoop {
  // The one place where the platforms differ: a mode's name is a struct on Apple's and a string elsewhere.
  #if canImport(Darwin)
    private static var defaultMode: CFRunLoopMode { .defaultMode }
  #else
    private static var defaultMode: CFString { kCFRunLoopDefaultMode }
  #endif

  /// Runs the loop in the default mode until a task stops it.
  ///
  /// Without a limit: on Linux a finite one arms a timer that costs more than a pass. Each peer pays the passes that it needs.
  static func run() {
    // Far beyond what CoreFoundation takes for a limit.
    guard CFRunLoopRunInMode(defaultMode, 1e10, false) == .stopped else {
      fatalError("the run of the loop was not stopped")
    }
  }

  static func stop() { CFRunLoopStop(CFRunLoopGetMain()) }

  /// Wakes the loop from its sleep, or from the next one of the run under way.
  static func wake() { CFRunLoopWakeUp(CFRunLoopGetMain()) }

  /// Calls `handler` at these activities, after all others that are interested.
  @discardableResult
  static func observe(_ activities: CFRunLoopActivity, _ handler: @escaping (CFRunLoopActivity) -> Void)
    -> CFRunLoopObserver
  {
    let observer: CFRunLoopObserver = CFRunLoopObserverCreateWithHandler(
      kCFAllocatorDefault, activities.rawValue, true, CFIndex.max
    ) { handler($1) }
    CFRunLoopAddObserver(CFRunLoopGetMain(), observer, defaultMode)
    return observer
  }

  /// Calls `handler` every `interval` seconds, the first time at `start`.
  static func every(_ interval: CFTimeInterval, from start: CFAbsoluteTime, _ handler: @escaping () -> Void) {
    let timer = CFRunLoopTimerCreateWithHandler(kCFAllocatorDefault, start, interval, 0, 0) { _ in handler() }
    CFRunLoopAddTimer(CFRunLoopGetMain(), timer, defaultMode)
  }
}

extension MainLoop {
  /// Runs the loop until a task that is scheduled now has had its turn, and with it all that wait before it.
  static func runUntilReached(by schedule: (_ left: Int) -> Void) {
    schedule(0)
    run()
  }
}
