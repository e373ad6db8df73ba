import Foundation

// What happens at the activities of a run, whose mode is `mode`. Of user code, `beforeObservers` and `afterObservers` call
// at most `==` and `hash(into:)` of keys: CoreFoundation calls no observer inside itself, and only the observer of tasks
// has others for nested runs.
extension Scheduler {
  /// A run begins, and no other observer of its `entry` has been called.
  func beforeObservers(in mode: ModeID) {
    catchUp()
    noteActivity(in: mode)
    enterRun(of: mode)
  }

  /// Runs the tasks that are due at an activity. The host calls this among the other observers.
  @inline(__always)
  func handle(_ activity: RunLoop.Activity, in current: @autoclosure () -> ModeID) {
    // This comes first, because the messages that have woken the loop need no further wake-up.
    flags.nextSleep.store(.comesAfterCheck, ordering: .relaxed)
    catchUp()
    garbage.release()
    if isNothingAttached { return }
    // `beforeObservers` has just entered a run that begins.
    if activity != .entry { recognizeRun(of: current()) }
    let mode = currentRun.mode
    switch activity {
    case .entry:
      runBatch([.nextLoopBegan, .overdue], in: mode, lastExit: pending.lastExit(of: mode), lineEnd: lineEnd)
    case .beforeWaiting:
      let isIdle =
        currentRun.ran == .nothing && !hasTasks(in: [.nextLoopBegan, .currentLoopEnded, .overdue], of: mode)
      runBatch([isIdle ? .idle : .currentLoopEnded, .overdue], in: mode, lineEnd: lineEnd)
    case .afterWaiting:
      // If the timer has not fired yet, something else has woken the loop.
      if mustBackOff, !self[mode].hasFired(TaskClock.uptime) { currentRun.fruitlessPasses = 0 }
      runBatch([.nextLoopBegan, .overdue], in: mode, lineEnd: lineEnd)
      detachIfEmpty(mode)
    default:
      // The last pass leaves nothing, even if something has cut it short.
      runBatch(lineEnd == nil ? [.currentLoopEnded, .idle, .overdue] : .all, in: mode, lineEnd: lineEnd)
    }
  }

  /// The other observers of `beforeWaiting` or `exit` have been called, except for late ones of the last order.
  func afterObservers(of activity: RunLoop.Activity, in mode: ModeID) {
    catchUp()
    recognizeRun(of: mode)
    if activity == .exit { leave(mode) } else { check(mode) }
  }
}
