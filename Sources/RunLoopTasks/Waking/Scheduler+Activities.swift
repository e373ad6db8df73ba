import Foundation

// What happens at the activities of a run. Only `handle` calls user code. `current` is the mode of the innermost run.
extension Scheduler {
  /// A run begins, and no other observer of its `entry` has been called.
  func beforeObservers(in current: ModeID?) {
    readMessages()
    if let current { enterRun(of: current) }
  }

  /// Runs the tasks that are due at an activity. The host calls this among the other observers.
  @inline(__always)
  func handle(_ activity: RunLoop.Activity, in current: @autoclosure () -> ModeID?) {
    // This comes first, because the messages that have woken the loop need no further wake-up.
    if activity == .afterWaiting { runs.isPastCheck = false }
    readMessages()
    if pending.earliestAlarm != nil { letTimePass() }
    garbage.release()
    if isNothingAttached, activity != .afterWaiting { return }
    // A run that begins has just been entered.
    if activity != .entry, let mode = current() { recognizeRun(of: mode) }
    guard let mode = runs.innermost else { return }
    switch activity {
    case .entry:
      runBatch([.leftBehind, .overdue], in: mode)
    case .beforeWaiting:
      let isIdle =
        runs.current.ran == .nothing && !hasTasks(in: [.nextLoopBegan, .currentLoopEnded, .overdue], of: mode)
      runBatch([isIdle ? .idle : .currentLoopEnded, .overdue], in: mode)
    case .afterWaiting:
      beginTurn(in: mode)
      runBatch([.nextLoopBegan, .overdue], in: mode)
      readMessages()
      detachIfEmpty(mode)
    default:
      runBatch([.currentLoopEnded, .idle, .overdue], in: mode)
    }
  }

  /// All other observers of `beforeWaiting` or `exit` have been called.
  func afterObservers(of activity: RunLoop.Activity, in current: ModeID?) {
    readMessages()
    guard let mode = current else { return }
    recognizeRun(of: mode)
    if activity == .exit { leave(mode) } else { check(mode) }
  }

  /// A run of a mode shows itself. If the innermost known run has another mode, this one was hidden until now, and others
  /// may be around it.
  @inline(__always)
  private func recognizeRun(of mode: ModeID) {
    if runs.innermost == mode { return flags.mayIgnoreWakeUps.store(false, ordering: .relaxed) }
    flags.areRunsHidden.store(true, ordering: .relaxed)
    enterRun(of: mode)
  }

  private func beginTurn(in mode: ModeID) {
    (runs.current.ran, runs.current.isCutShort) = (.nothing, false)
    guard runs.current.fruitlessTurns > Runs.turnsBeforeBackoff else { return }
    // If the timer has not fired yet, something else has woken the loop.
    if attachment.withLock({ _ in self[mode].host.secondsLeft }) != 0 { runs.current.fruitlessTurns = 0 }
  }
}
