import Foundation

// Keeping runs alive and awake.
//
// A loop ignores a wake-up outside runs, and a nested run of any mode may consume one. So nothing relies on an earlier
// wake-up: the loop's own thread decides anew before each sleep, from the pending tasks.
//
// | Where                     | What happens there                                                              |
// |---------------------------|---------------------------------------------------------------------------------|
// | first use of a mode       | it is observed; inside a run, the loop is woken, to come to an activity         |
// | a task or a message for a | the mode is attached: its keeper, a source that does nothing, keeps its runs    |
// | mode                      | alive                                                                           |
// | the first unread message  | the loop is woken                                                               |
// | the last look before a    | the loop sleeps if no task is pending, makes another pass if tasks can run, and |
// | sleep                     | otherwise sleeps until the earliest alarm. A mode without tasks is detached     |
// | `afterWaiting`, `exit`    | a mode without tasks is detached                                                |
//
// A run finds out that its mode is empty only after a sleep. So when a mode is detached, each run under way makes one
// more pass.
extension Scheduler {
  /// Keeps runs alive in the modes of a task that has come in or was amended.
  @inline(__always)
  func keepAlive(for task: RunLoopTask) {
    task.forEachMode { if !isAttached($0) { attach($0) } }
    wakeHost()
  }

  /// Tasks have come or gone. Inside a run, the loop looks at them before it sleeps.
  @inline(__always)
  func wakeHost() {
    if isAsleepInHost { loop?.wakeUp() }
  }

  @inline(__always)
  private func isAttached(_ mode: ModeID) -> Bool { pending.with(mode) { $0.isAttached } }

  @inline(never)
  private func attach(_ mode: ModeID) { attachment.withLock { $0.attach(self[mode]) } }

  /// Detaches a mode, and the common modes if it is one of them, if they have no tasks.
  func detachIfEmpty(_ mode: ModeID) {
    if mode != .common, isAttached(.common), isCommon(mode) { detachIfEmpty(.common) }
    guard isAttached(mode), !pending.hasTasks(in: mode), attachment.withLock({ $0.detach(self[mode]) }) else { return }
    noteThatModesMayBeEmpty()
  }

  /// Lets each run under way make one more pass.
  func noteThatModesMayBeEmpty() {
    for index in runs.indices { runs[index].mayBeEmpty = true }
  }

  /// Whether tasks are pending that runs of a mode run, in line or waiting for their time.
  func hasPendingTasks(in mode: ModeID) -> Bool {
    pending.hasTasks(in: mode) || pending.hasTasks(in: .common) && isCommon(mode)
  }

  // MARK: Before a sleep

  private enum NextPass {
    /// At once, because tasks can run.
    case now
    /// At once, to make sure that nothing is left. If each pass causes one more, it comes a little later.
    case recheck
    /// When something wakes the loop, and at a date of the task clock at the latest.
    case whenWoken(by: Int64)
  }

  /// The last look before a sleep. Only observers of order `.max` that were added later still follow.
  func prepareToSleep() {
    assertInvariants()
    guard isAnyModeAttached || currentRun.mayBeEmpty || !garbage.isEmpty || clock.isFrozen else {
      (currentRun.ran, currentRun.rechecks) = (.nothing, 0)
      return
    }
    let next = nextPass(after: currentRun)
    (currentRun.ran, currentRun.mayBeEmpty) = (.nothing, false)
    if case .recheck = next { currentRun.rechecks += 1 } else { currentRun.rechecks = 0 }
    if drivenPass != nil { return }  // a driven pass never sleeps
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
      if hasTasks(in: .all, of: run.mode) { return .whenWoken(by: waitForCallBack(in: run.mode)) }
      endYielding()
    }
    if hasTasks(in: [.nextLoopBegan, .currentLoopEnded, .overdue], of: run.mode) { return .now }
    // Idle tasks wait for a pass without others.
    if hasTasks(in: .idle, of: run.mode) { return run.ran == .tasks ? .recheck : .now }
    detachIfEmpty(run.mode)
    // Tasks may have changed the state of SwiftUI views. SwiftUI looks for that before the tasks of a pass run, and the
    // change does not wake the loop.
    let mustRecheck = currentRun.mayBeEmpty || run.ran != .nothing && hasPendingTasks(in: run.mode)
    return mustRecheck ? .recheck : .whenWoken(by: .max)
  }

  /// How many passes in a row may cause one more at once. An observer that schedules a task in each pass would otherwise
  /// keep the loop turning. Any small number would do.
  private static let maxRechecks = 4
  /// The wait before each further one, in nanoseconds.
  static let backOff: Int64 = 100_000_000

  /// What the code relies on when it looks at the tasks, checked in debug builds.
  private func assertInvariants() {
    assert(pending.isSettled, "the newest task is not where it belongs")
    for mode in pending.modes {
      assert(mode.withUnretained { $0.isAttached || $0.tasks.isEmpty }, "a mode with tasks is not kept alive")
    }
  }
}
