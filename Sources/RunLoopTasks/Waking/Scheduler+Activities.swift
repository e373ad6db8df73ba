import Foundation

// What happens at the activities of a run, whose mode is `mode`. `beforeObservers` and `afterObservers` must run no
// user code but `==` and `hash(into:)` of keys. Each comes from a single observer, which CoreFoundation does not call
// inside itself, so a run nested in it would go unseen. Only tasks have a further observer for each level of nesting.
extension Scheduler {
  /// A run begins, and no other observer of its `entry` has been called, except for those of order `.min` that were
  /// added earlier.
  func beforeObservers(in mode: ModeID) {
    catchUp()
    forgetFiredTimers(in: mode)
    enterRun(of: mode)
  }

  /// Runs the tasks that are due at an activity. The host calls this among the other observers.
  @inline(__always)
  func handle(_ activity: RunLoop.Activity, in current: @autoclosure () -> ModeID) {
    // Before the messages are applied, or their tasks would wake a loop that is awake.
    flags.nextSleep.store(.comesAfterCheck, ordering: .relaxed)
    catchUp()
    garbage.release()
    if isNothingAttached { return }
    // `beforeObservers` has just entered a run that begins.
    if activity != .entry { recognizeRun(of: current()) }
    let mode = currentRun.mode
    switch activity {
    case .entry:
      let lastExit = pending.modes[Int(mode.index)].withUnretained { $0.tasks.lastExit }
      runBatch([.nextLoopBegan, .overdue], in: mode, lastExit: lastExit, lineEnd: lineEnd)
    case .beforeWaiting:
      let isIdle =
        currentRun.ran == .nothing && !hasTasks(in: [.nextLoopBegan, .currentLoopEnded, .overdue], of: mode)
      runBatch([isIdle ? .idle : .currentLoopEnded, .overdue], in: mode, lineEnd: lineEnd)
    case .afterWaiting:
      // If the date of the timer has not come, something else has woken the loop.
      if mustBackOff, !timedMode(of: mode).hasDateCome(TaskClock.uptime) { currentRun.rechecks = 0 }
      runBatch([.nextLoopBegan, .overdue], in: mode, lineEnd: lineEnd)
      detachIfEmpty(mode)
    default:
      // The last pass of a thread leaves nothing, even if something has cut it short.
      runBatch(lineEnd == nil ? [.currentLoopEnded, .idle, .overdue] : .all, in: mode, lineEnd: lineEnd)
    }
  }

  /// The other observers of `beforeWaiting` or `exit` have been called, except for those of order
  /// `.max` that were added later.
  func afterObservers(of activity: RunLoop.Activity, in mode: ModeID) {
    catchUp()
    recognizeRun(of: mode)
    if activity == .exit { leave(mode) } else { check(mode) }
  }
}
