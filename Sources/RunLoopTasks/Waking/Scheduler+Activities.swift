import Foundation

// What happens at the activities of a run. `enter` comes before all other observers, `handle` runs the tasks, and
// `finish` comes after all other observers. Only `handle` calls user code.
extension Scheduler {
  func enter() {
    readMessages()
    if let mode = currentMode() { enterRun(of: mode) }
  }

  func handle(_ activity: RunLoop.Activity) {
    // This comes first, because the messages that have woken the loop need no further wake-up.
    if activity == .afterWaiting { runs.isPastCheck = false }
    readMessages()
    if pending.earliestAlarm != nil { letTimePass() }
    if !garbage.isEmpty { garbage.release() }
    if isNothingAttached, activity != .afterWaiting { return }
    // `enter` has just noted a run that begins.
    if activity != .entry, let mode = currentMode() { noteActivity(in: mode) }
    guard let mode = runs.innermost else { return }
    switch activity {
    case .entry:
      runBatch([.nextLoopBegan, .overdue], in: mode.id, onlyLeftBehind: true)
    case .beforeWaiting:
      let isIdle = !runs.current.hasRunTask && !hasTasks(in: [.nextLoopBegan, .currentLoopEnded, .overdue], of: mode.id)
      runBatch(isIdle ? .idle : [.currentLoopEnded, .overdue], in: mode.id)
    case .afterWaiting:
      beginTurn(in: mode)
      runBatch([.nextLoopBegan, .overdue], in: mode.id)
      readMessages()
      detachIfEmpty(mode)
    default:
      runBatch([.currentLoopEnded, .idle, .overdue], in: mode.id)
    }
  }

  func finish(_ activity: RunLoop.Activity) {
    readMessages()
    guard let mode = currentMode() else { return }
    noteActivity(in: mode)
    if activity == .exit { leave(mode) } else { check(mode) }
  }

  /// Notes an activity of a run in a mode. If the innermost known run has another mode, this run was hidden until now,
  /// and others may be around it.
  @inline(__always)
  private func noteActivity(in mode: LoopMode) {
    if runs.innermost === mode { return flags.hasJustLeftRun.store(false, ordering: .relaxed) }
    flags.areRunsHidden.store(true, ordering: .relaxed)
    enterRun(of: mode)
  }

  private func beginTurn(in mode: LoopMode) {
    (runs.current.hasRunTask, runs.current.hasRunIdleTask, runs.current.isCutShort) = (false, false, false)
    guard runs.current.fruitlessTurns > Runs.turnsBeforeBackoff || clock.isFrozen else { return }
    let secondsLeft = attachment.withLock { _ in mode.host.secondsLeft }
    // A nested run has slept until an alarm, so a frozen clock must run again.
    if secondsLeft == 0 { clock.resume(inRunOfDepth: runs.depth) }
    // If the timer has not fired yet, something else has woken the loop.
    if secondsLeft != 0 { runs.current.fruitlessTurns = 0 }
  }
}
