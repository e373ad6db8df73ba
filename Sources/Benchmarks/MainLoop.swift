import CoreFoundation
import Foundation
import Synchronization

/// Runs the main loop with CoreFoundation alone. A process that measures another peer therefore never uses the package.
enum MainLoop {
  #if canImport(Darwin)
    static var defaultMode: CFRunLoopMode { .defaultMode }
  #else
    static var defaultMode: CFString { kCFRunLoopDefaultMode }
  #endif

  /// Runs the loop in the default mode until a task stops it.
  ///
  /// The run has no time limit, because on Linux a limit arms a timer that costs more than a pass.
  static func run() {
    // CoreFoundation treats such a long time as no limit.
    guard CFRunLoopRunInMode(defaultMode, 1e10, false) == .stopped else {
      fatalError("the run of the loop ended before a task stopped it")
    }
  }

  static func stop() { CFRunLoopStop(CFRunLoopGetMain()) }

  /// Wakes the loop from its sleep, or from the next sleep of the current run.
  static func wake() { CFRunLoopWakeUp(CFRunLoopGetMain()) }

  /// Calls `handler` at these activities, after all other observers.
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
}

/// Counts the tasks that have run, so dropping tasks can't make a peer look faster.
final class Work: Sendable {
  static let shared = Work()

  private let count = Atomic(0)
  /// What each task does besides counting. Safe, because it is set before the first task is scheduled.
  nonisolated(unsafe) private var more: (() -> Void)?

  var done: Int { count.load(ordering: .relaxed) }

  func run(left: Int) {
    count.store(done + 1, ordering: .relaxed)  // only one thread runs tasks
    more?()
    if left == 0 { MainLoop.stop() }
  }

  /// Makes each later task do more.
  func doMore(_ more: @escaping () -> Void) { self.more = more }

  /// Calls `body` and traps unless exactly `number` tasks ran in it.
  func expect<Result>(_ number: Int, _ body: () -> Result) -> Result {
    let before = done
    defer { if done - before != number { fatalError("\(done - before) tasks ran instead of \(number)") } }
    return body()
  }
}

/// The work of every task of every peer. The task counts, and the last task of a batch stops the loop.
///
/// A task's closure captures one word, the number of tasks after it. It therefore has a context on the heap, like most
/// closures of real programs. The word is different each time, so two closures cannot share a context.
func work(_ left: Int) { Work.shared.run(left: left) }

/// Keeps the processor busy.
func spin(for duration: Duration) {
  let end = ContinuousClock.now + duration
  while ContinuousClock.now < end {}
}

extension Duration {
  var nanoseconds: Double { self / .nanoseconds(1) }
}
