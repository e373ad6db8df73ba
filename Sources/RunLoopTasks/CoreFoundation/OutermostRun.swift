import CoreFoundation
import Foundation

/// Runs the current thread's loop in the default mode until `isStopped`.
///
/// A run ends once it has served a source, because such a turn has no `beforeWaiting`. The tasks for the end of a pass
/// then run at the `exit`, and the next run begins.
func runOutermost(until isStopped: @escaping () -> Bool) {
  var depth = 0
  var hasWaited = true
  // The observer is the last, so that no nested run can use up the wake-up of `CFRunLoopStop`.
  let activities: RunLoop.Activity = [.entry, .beforeTimers, .beforeWaiting, .exit]
  let observer = LoopObserver(activities, order: .max) { activity in
    switch activity {
    case .entry:
      depth += 1
      if depth == 1 { hasWaited = true }
    case .exit: depth -= 1
    default:
      guard depth == 1 else { return }
      if isStopped() || activity == .beforeTimers && !hasWaited { CFRunLoopStop(CFRunLoopGetCurrent()) }
      hasWaited = activity == .beforeWaiting
    }
  }
  CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer.cf, RunLoop.Mode.default.cfMode)
  // The run has no limit. The observer stops it, and the tasks for the end of the run have their turn first.
  while !isStopped() { CFRunLoopRunInMode(RunLoop.Mode.default.cfMode, 1e10, false) }
  observer.invalidate()
}
