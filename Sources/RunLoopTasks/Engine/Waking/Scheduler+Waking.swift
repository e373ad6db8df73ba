import Foundation

// Keeping runs alive and awake.
//
// A loop ignores a wake-up outside runs, and a nested run of any mode may consume one. So before each sleep, the loop's
// own thread looks anew at the messages and the tasks, whatever has woken it before.
//
// | Where                     | What happens there                                                              |
// |---------------------------|---------------------------------------------------------------------------------|
// | first use of a mode       | it is observed; inside a run, the loop is woken, to come to an activity         |
// | a task or a message for a | the mode is attached: its keeper, a source that does nothing, keeps its runs    |
// | mode                      | alive                                                                           |
// | the first unread message  | the loop is woken                                                               |
// | the last look before a    | if tasks can run, the loop makes another pass; if a mode may be empty, one more |
// | sleep                     | pass; otherwise it sleeps until the earliest alarm, or until something wakes    |
// |                           | it. After a batch that was cut short, it sleeps until it is called back         |
// | `afterWaiting`, the last  | a mode without tasks is detached                                                |
// | look, `exit`              |                                                                                 |
//
// CoreFoundation finds out that the mode of a run is empty only after a sleep. So when a mode is detached before a sleep,
// each run under way makes one more pass.
extension Scheduler {
  /// Keeps runs alive in the modes of a task that has come in or was amended.
  @inline(__always)
  func keepAlive(for task: RunLoopTask) {
    task.forEachMode { if !isAttached($0) { attach($0) } }
    wakeHostOutsidePass()
  }

  /// Tasks have come or gone. A run looks at the tasks before it sleeps, but an event loop that embeds the main loop does
  /// not.
  @inline(__always)
  func wakeHostOutsidePass() {
    if isOutsideHostPass { loop?.wakeUp() }
  }

  @inline(__always)
  private func isAttached(_ mode: ModeID) -> Bool { pending.with(mode) { $0.isAttached } }

  @inline(never)
  private func attach(_ mode: ModeID) { attachment.withLock { $0.attach(self[mode]) } }

  /// Detaches a mode that has no tasks. If the mode is one of the common modes, does the same with `.common`.
  func detachIfEmpty(_ mode: ModeID) {
    if mode != .common, isAttached(.common), isCommon(mode) { detachIfEmpty(.common) }
    guard isAttached(mode), !pending.hasTasks(in: mode), attachment.withLock({ $0.detach(self[mode]) }) else { return }
    if isAnyModeAttached { requestEmptinessChecks() } else { endYielding() }
  }

  /// Lets each run under way make one more pass, after which CoreFoundation checks whether its mode is empty.
  func requestEmptinessChecks() {
    for index in runs.indices { runs[index].mustCheckEmpty = true }
  }

  /// Whether tasks are pending that runs of a mode run, in line or waiting for their time.
  func hasPendingTasks(in mode: ModeID) -> Bool {
    pending.hasTasks(in: mode) || pending.hasTasks(in: .common) && isCommon(mode)
  }

  // MARK: Before a sleep

  private enum NextPass {
    /// At once, because tasks can run.
    case now
    /// At once, though no task is due: for CoreFoundation's check for an empty mode, for idle tasks, which need a pass of
    /// their own, or for SwiftUI. After some passes in a row that have each caused one more, it comes 0.1 s later.
    case recheck
    /// When something wakes the loop, and at a date of the task clock at the latest.
    case whenWoken(by: Int64)
  }

  /// The last look before a sleep. Only observers of order `.max` that were added later still follow.
  func prepareToSleep() {
    assertInvariants()
    guard isAnyModeAttached || currentRun.mustCheckEmpty || !garbage.isEmpty || clock.isFrozen else {
      (currentRun.ran, currentRun.rechecks) = (.nothing, 0)
      return
    }
    let next = nextPass(after: currentRun)
    (currentRun.ran, currentRun.mustCheckEmpty) = (.nothing, false)
    if case .recheck = next { currentRun.rechecks += 1 } else { currentRun.rechecks = 0 }
    if drivenPass != nil { return }  // it never sleeps
    switch next {
    case .now: loop?.wakeUp()
    case .recheck where currentRun.rechecks <= Self.maxRechecks: loop?.wakeUp()
    case .recheck: sleep(until: clock.now.addingSaturated(Self.backOff))
    case .whenWoken(let date): sleep(until: date)
    }
  }

  private func sleep(until date: Int64) {
    // The clock stands still in passes of `advance(by:)`, but runs on in a nested run that sleeps.
    if clock.isFrozen, runs.contains(where: { $0.pass != nil }) { clock.resume() }
    loop?.setAlarm(at: hasPendingTasks(in: currentRun.mode) ? min(date, pending.earliestAlarm) : date, self)
  }

  private func nextPass(after run: Run) -> NextPass {
    if !garbage.isEmpty { return .now }  // the next activity releases it
    if isYielding(in: run.mode), run.pass == nil {
      if hasTasksInLine(.all, in: run.mode) { return .whenWoken(by: waitForCallBack(in: run.mode)) }
      endYielding()
    }
    if hasTasksInLine([.nextLoopBegan, .currentLoopEnded, .overdue], in: run.mode) { return .now }
    // Idle tasks wait for a pass without others.
    if hasTasksInLine(.idle, in: run.mode) { return run.ran == .tasks ? .recheck : .now }
    detachIfEmpty(run.mode)
    // Tasks may have changed the state of SwiftUI views. SwiftUI looks for such changes before the tasks of a pass run,
    // and a change does not wake the loop. So one more pass follows, which detaching the mode would cause anyway.
    let mustRecheck = currentRun.mustCheckEmpty || (run.ran != .nothing && hasPendingTasks(in: run.mode))
    return mustRecheck ? .recheck : .whenWoken(by: .max)
  }

  /// Begins to count anew, because a message of another thread or a command has come.
  func resetRechecks() {
    for index in runs.indices { runs[index].rechecks = 0 }
  }

  /// How many passes in a row may cause one more at once. An observer that schedules a task in each pass would otherwise
  /// keep the loop turning. A longer chain of blocks that each schedule a task cannot be told apart from that, and so an
  /// idle task, or the return of the run, waits for the end of the sleep.
  private static let maxRechecks = 4
  /// How long the loop then sleeps before each recheck, in nanoseconds. Ten passes a second cost next to nothing.
  static let backOff: Int64 = 100_000_000

  /// What the code relies on when it looks at the tasks, checked in debug builds.
  private func assertInvariants() {
    assert(pending.isSettled, "the newest task is not where it belongs")
    for mode in pending.modes {
      assert(mode.withUnretained { $0.isAttached || $0.tasks.isEmpty }, "a mode with tasks is not kept alive")
    }
  }
}
