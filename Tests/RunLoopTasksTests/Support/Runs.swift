import CoreFoundation
import Foundation
import RunLoopTasks

/// Keeps the runs of the modes alive until the loop of the current thread ends.
func keepAlive(_ modes: RunLoop.Mode...) {
  for mode in modes {
    var context = CFRunLoopSourceContext()
    CFRunLoopAddSource(CFRunLoopGetCurrent(), CFRunLoopSourceCreate(nil, 0, &context), mode.cf)
  }
}

extension Log {
  /// Schedules idle tasks that log their numbers, each of which uses up a slice.
  func performSlices(_ count: Int) {
    for number in 1...count {
      RunLoop.current.perform { [self] in
        self("\(number)")
        spin()
      }.when(.idle)
    }
  }

  /// Logs an event and stops the innermost run of the current thread's loop.
  func andStop(_ event: String) {
    self(event)
    stopRun()
  }
}

/// Calls `handler` at each of the activities with its number, which begins at 1.
func observeNumbered(
  _ activities: RunLoop.Activity, in mode: RunLoop.Mode = .default, order: Int = Order.first,
  _ handler: @escaping (Int) -> Void
) {
  var count = 0
  observe(activities, in: mode, order: order) { _ in
    count += 1
    handler(count)
  }
}

/// Calls `handler` at the first of the activities. The handler may run the loop.
func observeOnce(
  _ activities: RunLoop.Activity, in mode: RunLoop.Mode = .default, order: Int = Order.first,
  _ handler: @escaping () -> Void
) {
  observeNumbered(activities, in: mode, order: order) { if $0 == 1 { handler() } }
}

/// Adds a timer that fires once.
@discardableResult
func addTimer(
  after seconds: Double = 0, in mode: RunLoop.Mode = .default, handler: @escaping @Sendable () -> Void = {}
) -> Timer {
  let timer = Timer(fire: Date(timeIntervalSinceNow: seconds), interval: 0, repeats: false) { _ in handler() }
  RunLoop.current.add(timer, forMode: mode)
  return timer
}

/// Makes a mode of the current thread's loop a common mode.
func makeCommon(_ mode: RunLoop.Mode) { CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), mode.cf) }

/// Lets idle tasks of the current thread's loop run in one batch, even if the machine stops the thread for longer than
/// a slice.
func allowLongBatches() { RunLoop.current.taskQueue.budget = .seconds(1_000_000) }

/// Runs a task for `mode` in the default mode, and then empty passes.
///
/// Afterwards the package observes the mode, and the keep-alives of the modes without tasks are detached.
func runTaskAndEmptyPasses(forMode mode: RunLoop.Mode = .default) {
  let keepAlive = ModeHolder()
  RunLoop.current.perform {}.when(.currentLoopEnded).forModes(mode)
  for _ in 1...10 { RunLoop.current.runPass() }
  withExtendedLifetime(keepAlive) {}
}
