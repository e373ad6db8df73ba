import CoreFoundation
import Foundation
import RunLoopTasks

// What the tests do with a run loop besides scheduling tasks. It uses CoreFoundation, not the package.

extension RunLoop.Mode {
  #if canImport(Darwin)
    var cf: CFRunLoopMode { self == .common ? .commonModes : CFRunLoopMode(rawValue as CFString) }
  #else
    /// CoreFoundation tells the common modes apart by the pointer.
    var cf: CFString {
      if self == .common { return kCFRunLoopCommonModes }
      return CFStringCreateWithCString(nil, rawValue, CFStringBuiltInEncodings.UTF8.rawValue)
    }
  #endif

  static let custom = RunLoop.Mode("RunLoopTasksTests.custom")
  static let other = RunLoop.Mode("RunLoopTasksTests.other")

  /// A mode that nobody has used.
  static var new: RunLoop.Mode { RunLoop.Mode("RunLoopTasksTests.\(UUID())") }

  /// The name in the events of a log.
  var shortName: Substring { self == .default ? "default" : rawValue.split(separator: ".").last ?? "" }
}

/// The orders of observers.
enum Order {
  static let first = Int.min
  static let app = 0
  /// The order of Core Animation's commit.
  static let frame = 2_000_000
  /// The last one before the package's own observers, whose order is `Int.max`.
  static let last = Int.max - 1
}

/// Calls `handler` at activities of the current thread's loop, until the loop ends.
@discardableResult
func observe(
  _ activities: RunLoop.Activity, in mode: RunLoop.Mode = .default, order: Int = Order.first,
  _ handler: @escaping (RunLoop.Activity) -> Void
) -> CFRunLoopObserver? {
  let observer = CFRunLoopObserverCreateWithHandler(nil, CFOptionFlags(activities.rawValue), true, order) {
    handler(RunLoop.Activity(rawValue: UInt($1.rawValue)))
  }
  CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, mode.cf)
  return observer
}

extension RunLoop.Activity {
  static let ofPass: RunLoop.Activity = [.entry, .beforeWaiting, .afterWaiting, .exit]
}

/// Logs the activities that begin and end a pass, before any task runs at them.
func logActivities(_ log: Log, in mode: RunLoop.Mode = .default) {
  observe(.ofPass, in: mode) { log("\($0)") }
}

/// What `logActivities` logs of a pass in which no task runs.
let emptyPass = ["entry", "beforeWaiting", "afterWaiting", "exit"]

/// A version 0 source of the current thread's loop.
final class Source {
  private let perform: () -> Void
  private var cf: CFRunLoopSource?

  init(in mode: RunLoop.Mode = .default, _ perform: @escaping () -> Void) {
    self.perform = perform
    var context = CFRunLoopSourceContext()
    context.info = Unmanaged.passUnretained(self).toOpaque()
    context.perform = { Unmanaged<Source>.fromOpaque($0!).takeUnretainedValue().perform() }
    cf = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
    CFRunLoopAddSource(CFRunLoopGetCurrent(), cf, mode.cf)
  }

  func signal() { CFRunLoopSourceSignal(cf) }

  func remove() { CFRunLoopSourceInvalidate(cf) }

  deinit { remove() }
}

/// Runs the loop without sleeping, so without `beforeWaiting` and `afterWaiting`.
func poll(_ mode: RunLoop.Mode = .default) {
  CFRunLoopRunInMode(mode.cf, 0, false)
}

/// Runs the loop without a limit, so that a run which sleeps on pending work hits the watchdog.
func run(_ mode: RunLoop.Mode = .default) {
  CFRunLoopRunInMode(mode.cf, 1e10, false)
}

/// Makes the current thread's loop call `body` in its next run in the mode.
func performBlock(in mode: RunLoop.Mode = .default, _ body: @escaping () -> Void) {
  #if canImport(Darwin)
    CFRunLoopPerformBlock(CFRunLoopGetCurrent(), mode.cf.rawValue, body)  // Darwin also accepts an array of modes.
  #else
    CFRunLoopPerformBlock(CFRunLoopGetCurrent(), mode.cf, body)
  #endif
}

func stopRun() { CFRunLoopStop(CFRunLoopGetCurrent()) }

/// How many passes a loop may make for nothing after a timer was cancelled.
///
/// On Apple's platforms the kernel sends a message when a timer is due, and does not withdraw it. A timer that is
/// cancelled after that wakes the loop once.
#if canImport(Darwin)
  let passesOfACancelledTimer = 1
#else
  let passesOfACancelledTimer = 0
#endif

/// How many of the gaps between tasks or batches may lack a timer that is due all the time.
///
/// On Apple's platforms a kernel thread sends the message of a due timer, so the message may arrive a pass late.
/// Elsewhere the end of a wait, if the thread was held up for that long, may wake the loop first.
func mostGapsWithoutATimer(of gaps: Int) -> Int {
  #if canImport(Darwin)
    gaps / 2
  #else
    gaps / 100
  #endif
}

/// Keeps a mode from being empty during its lifetime, so that only a stop ends a run in the mode.
final class ModeHolder {
  private let source: Source
  init(_ mode: RunLoop.Mode = .default) { source = Source(in: mode) {} }
}

/// The number of runs of a mode in `body`, such as driven passes.
func countRuns(in mode: RunLoop.Mode = .default, _ body: () -> Void) -> Int {
  let runs = Counter()
  let observer = RunLoop.current.observe(.entry, forModes: [mode]) { _ in runs.count() }
  body()
  observer.invalidate()
  return runs.value
}
