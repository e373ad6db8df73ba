import Foundation

// What happens at the activities of a run. `runBegins` and `lastLook` must run no user code but `==` and `hash(into:)` of
// keys. Each comes from a single observer, which CoreFoundation does not call inside itself, so a run nested in it would
// go unseen. Only tasks have a further observer for each level of nesting.
extension Scheduler {
  /// A run begins, and no other observer of its `entry` has been called, except for those of order `.min` that were
  /// added earlier.
  func runBegins(in mode: ModeID) { begin(Run(mode: mode, pass: passToBegin.take())) }

  /// Runs the tasks that are due at an activity. The host calls this among the other observers.
  @inline(__always)
  func handle(_ activity: RunLoop.Activity, in current: @autoclosure () -> ModeID) {
    catchUp()
    releaseGarbage()
    guard isAnyModeAttached else { return }
    let mode = current()
    recognizeRun(of: mode)
    switch activity {
    case .entry:
      let lastExit = pending.with(mode) { $0.tasks.lastExit }
      runBatch([.nextLoopBegan, .overdue], in: mode, lastExit: lastExit)
    case .beforeWaiting:
      if let yielding, yielding.end <= clock.now { endYielding() }
      let isIdle =
        currentRun.ran == .nothing && !hasTasks(in: [.nextLoopBegan, .currentLoopEnded, .overdue], of: mode)
      runBatch([isIdle ? idleTasks(in: mode) : .currentLoopEnded, .overdue], in: mode)
    case .afterWaiting:
      runBatch([.nextLoopBegan, .overdue], in: mode)
      detachIfEmpty(mode)
      currentRun.mayBeEmpty = false  // the run looks at the end of this iteration
    default:
      noteExitWhileYielding(in: mode)
      runBatch([.currentLoopEnded, idleTasks(in: mode), .overdue], in: mode)
    }
  }

  /// The other observers of `beforeWaiting` or `exit` have been called, except for those of order `.max` that were added
  /// later.
  func lastLook(before activity: RunLoop.Activity, in mode: ModeID) {
    catchUp()
    recognizeRun(of: mode)
    if activity == .beforeWaiting { return prepareToSleep() }
    runs.removeLast()
    let position = pending.takePosition()
    pending.with(mode) { $0.tasks.lastExit = position }
    detachIfEmpty(mode)
  }

  /// Notes a run that began before its mode was observed. What was detached meanwhile may have emptied its mode.
  @inline(__always)
  private func recognizeRun(of mode: ModeID) {
    if runs.last?.mode != mode { begin(Run(mode: mode, pass: nil, mayBeEmpty: true)) }
  }

  private func begin(_ run: Run) {
    runs.append(run)
    hasRun = true
    // A nested run and one of another mode may not get to what ends the waiting of idle tasks. A pass that the package
    // drives serves everything that is ready before their turn. The run is noted first, so that it, too, looks again.
    if let yielding, runs.count > 1 || yielding.mode != run.mode || run.pass?.isSliced == true { endYielding() }
  }

  /// If none is, no tasks are pending and no messages are unread, so there is nothing to do.
  @inline(__always)
  var isAnyModeAttached: Bool { pending.modes.contains { $0.withUnretained { $0.isAttached } } }

  /// The innermost run. There must be one.
  var currentRun: Run {
    @inline(__always) _read { yield runs[runs.count - 1] }
    @inline(__always) _modify { yield &runs[runs.count - 1] }
  }

  /// The innermost pass that the package drives, if that is the innermost run.
  var drivenPass: DrivenPass? { runs.last?.pass }
}
