import CoreFoundation
import Foundation
import Synchronization

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

/// Counts the tasks that have run, so that nobody can win by losing some.
final class Work: Sendable {
  static let shared = Work()

  private let count = Atomic(0)
  private let busyNanoseconds = Atomic(0)

  /// How many tasks have run.
  var done: Int { count.load(ordering: .relaxed) }

  func run(left: Int) {
    count.store(done + 1, ordering: .relaxed)  // only the main thread runs tasks
    let nanoseconds = busyNanoseconds.load(ordering: .relaxed)
    if nanoseconds > 0 { spin(for: .nanoseconds(nanoseconds)) }
    if left == 0 { MainLoop.stop() }
  }

  /// Makes each task from now on take this long.
  func beBusy(for duration: Duration) { busyNanoseconds.store(Int(duration.nanoseconds), ordering: .relaxed) }

  /// Calls `body`, and stops the program unless exactly `number` tasks ran in it: a figure for less would be too good.
  func expect<Result>(_ number: Int, _ body: () -> Result) -> Result {
    let before = done
    defer { if done - before != number { fatalError("\(done - before) tasks ran instead of \(number)") } }
    return body()
  }
}

/// What every task of every peer does: it counts, and the last one of a batch stops the loop.
///
/// A task's closure captures one word, the number of tasks behind it. So it has a context on the heap, as most closures of
/// real programs do; one that captures a single object would have none, because Swift uses the object itself. And the word
/// is another one each time, so no context can be shared.
func work(_ left: Int) { Work.shared.run(left: left) }

/// Keeps the processor busy.
func spin(for duration: Duration) {
  let end = ContinuousClock.now + duration
  while ContinuousClock.now < end {}
}

extension Duration {
  var nanoseconds: Double { self / .nanoseconds(1) }
}
