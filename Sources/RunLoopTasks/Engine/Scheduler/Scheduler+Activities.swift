import Foundation

// What happens at the activities of a run. `runBegins` and `lastLook` must run no user code but the `==` of keys. Each
// comes from a single observer, which CoreFoundation does not call inside itself, so a run nested in it would go
// unseen. Only tasks have a further observer for each level of nesting.
extension Scheduler {
  /// Notes a run that begins. The loop calls this before the other observers of `entry`, except for those of order
  /// `.min` that were added earlier.
  ///
  /// - Parameter frame: where the top of the thread's stack is, if that is known: see `Run`.
  /// - Returns: whether all runs that were known are gone without an `exit`.
  @discardableResult
  func runBegins(in mode: ModeID, at frame: UInt? = nil) -> Bool {
    let firstLost = frame.flatMap { frame in runs.firstIndex { $0.frame <= frame } }
    if let firstLost {
      batch = runs[firstLost].batch
      forgetRuns(from: firstLost)
    }
    begin(Run(mode: mode, pass: passToBegin.take(), frame: frame ?? .max, batch: batch))
    return firstLost == 0
  }

  /// Forgets runs that are gone without an `exit`, as when a host catches an exception that a task has thrown.
  private func forgetRuns(from index: Int) {
    runs.removeSubrange(index...)
    endYielding()
  }

  /// Runs the tasks that are due at an activity. The loop calls this among the other observers.
  @inline(__always)
  func handle(_ activity: RunLoop.Activity, in currentMode: @autoclosure () -> ModeID) {
    lookAnew()
    // Without tasks, nothing is due. A run that is not recognized here makes a needless pass at most.
    guard isAnyModeAttached else { return }
    let mode = currentMode()
    recognizeRun(of: mode)
    let depth = runs.count
    if yielding != nil { noteForYielding(activity) }
    switch activity {
    case .entry:
      let lastExit = pending.with(mode) { $0.tasks.lastExit }
      runBatch([.nextLoopBegan, .overdue], in: mode, lastExit: lastExit)
    case .beforeWaiting:
      let isTurnOfIdleTasks = currentRun.turnToIdleTasks(listsInLine(in: mode))
      // Not both lists in one batch: if an idle task gives another task the timing `.currentLoopEnded`, the other one
      // waits for the next pass.
      runBatch([isTurnOfIdleTasks ? dueIdleTasks : .currentLoopEnded, .overdue], in: mode)
    case .afterWaiting:
      runBatch([.nextLoopBegan, .overdue], in: mode)
      detachEmptyModes()
      currentRun.noteWaking()
    default:  // `exit`
      runBatch([.currentLoopEnded, dueIdleTasks, .overdue], in: mode)
    }
    if runs.count > depth { forgetRuns(from: depth) }  // a task has caught the exception of a nested run
  }

  /// Ends a pass, and at `exit` the run, after a last look at the tasks. The loop calls this after the other observers
  /// of `beforeWaiting` or `exit`, except for those of order `.max` that were added later.
  func lastLook(at activity: RunLoop.Activity, in mode: ModeID) {
    catchUp()
    recognizeRun(of: mode)
    noteIfCommon(mode)
    if hasHadSources { signalSources(in: mode) }
    if yielding != nil, !pending.isAnythingInLine { endYielding() }
    if activity == .beforeWaiting { return prepareToSleep() }
    runs.removeLast()
    let position = pending.takePosition()
    pending.with(mode) { $0.tasks.lastExit = position }
    detachEmptyModes()
  }

  /// Notes the innermost run if it began before its mode was observed. It is then not the last known one. Nor is
  /// another run of its mode: that would have been noted when it began, and has ended. Modes may have been detached
  /// while the innermost run was unknown, so it makes one more pass.
  @inline(__always)
  private func recognizeRun(of mode: ModeID) {
    if runs.last?.mode != mode { begin(Run(mode: mode, pass: nil, mustRecheck: true)) }
  }

  private func begin(_ run: Run) {
    runs.append(run)
    changesWakeHost = false
    noteRun()
    // So far perhaps only other threads have used the main loop. Until its scheduler is installed, these ask the system
    // at each call who they are.
    if !isInstalled.load(ordering: .relaxed), isOfMainLoop { install() }
    guard yielding != nil else { return }
    yielding?.runBegins(at: runs.count, readySources)
    if runs.dropLast().contains(where: { $0.mode == run.mode }) { disarmCallBack() }
  }

  /// Whether any mode has the keeper. If not, no tasks are pending. A message that comes now is read at the last look.
  @inline(__always)
  var isAnyModeAttached: Bool { pending.modes.contains { $0.withUnretained { $0.isAttached } } }

  func forEachRun(_ body: (inout Run) -> Void) {
    for index in runs.indices { body(&runs[index]) }
  }

  /// The innermost run that is known. There must be one.
  var currentRun: Run {
    _read { yield runs[runs.count - 1] }
    _modify { yield &runs[runs.count - 1] }
  }

  /// The innermost run as a pass that the package drives.
  var drivenPass: DrivenPass? { runs.last?.pass }

  /// Notes that a source is about to deliver a batch. In a pass that the package drives it may do so once, because the
  /// iterations of that run are one pass.
  ///
  /// - Returns: whether it may deliver.
  func beginDelivery(of source: AnyObject) -> Bool {
    drivenPass == nil || currentRun.served.insert(ObjectIdentifier(source)).inserted
  }
}
