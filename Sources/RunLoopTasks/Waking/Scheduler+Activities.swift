import Foundation

// What happens at the activities of a run. `enter` comes before all other observers, `handle` runs the tasks, and
// `finish` comes after all other observers. Only `handle` calls user code. `current` is the mode of the innermost run.
extension Scheduler {
  func enter(in current: ModeID?) {
    readMessages()
    if let current { enterRun(of: current) }
  }

  @inline(__always)
  func handle(_ activity: RunLoop.Activity, in current: @autoclosure () -> ModeID?) {
    // This comes first, because the messages that have woken the loop need no further wake-up.
    if activity == .afterWaiting { runs.isPastCheck = false }
    readMessages()
    if pending.earliestAlarm != nil { letTimePass() }
    garbage.release()
    if isNothingAttached, activity != .afterWaiting { return }
    // `enter` has just noted a run that begins.
    if activity != .entry, let mode = current() { noteActivity(in: mode) }
    guard let mode = runs.innermost else { return }
    switch activity {
    case .entry:
      runBatch([.leftBehind, .overdue], in: mode)
    case .beforeWaiting:
      let isIdle = !runs.current.hasRunTask && !hasTasks(in: [.nextLoopBegan, .currentLoopEnded, .overdue], of: mode)
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

  func finish(_ activity: RunLoop.Activity, in current: ModeID?) {
    readMessages()
    guard let mode = current else { return }
    noteActivity(in: mode)
    if activity == .exit { leave(mode) } else { check(mode) }
  }

  /// Notes an activity of a run in a mode. If the innermost known run has another mode, this run was hidden until now,
  /// and others may be around it.
  @inline(__always)
  private func noteActivity(in mode: ModeID) {
    if runs.innermost == mode { return flags.hasJustLeftRun.store(false, ordering: .relaxed) }
    flags.areRunsHidden.store(true, ordering: .relaxed)
    enterRun(of: mode)
  }

  private func beginTurn(in mode: ModeID) {
    (runs.current.hasRunTask, runs.current.hasRunIdleTask, runs.current.isCutShort) = (false, false, false)
    guard runs.current.fruitlessTurns > Runs.turnsBeforeBackoff else { return }
    // If the timer has not fired yet, something else has woken the loop.
    if attachment.withLock({ _ in self[mode].host.secondsLeft }) != 0 { runs.current.fruitlessTurns = 0 }
  }
}
