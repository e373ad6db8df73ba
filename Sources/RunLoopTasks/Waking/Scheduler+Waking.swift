import Foundation

// Keeping runs alive and awake.
//
// A loop ignores a wake-up outside runs, and a nested run of any mode may consume one. So the loop's own thread decides
// anew before each sleep, from the pending tasks. Only senders rely on an earlier wake-up: one serves all messages
// until they are read.
//
// | Where                                  | What happens there                                                 |
// |----------------------------------------|--------------------------------------------------------------------|
// | a task comes in                        | its modes are observed and attached                                |
// | … and no check follows (`NextSleep`)   | … and armed, and the loop is woken                                 |
// | a task goes, and no check follows      | those of its modes that are empty now are armed, and the loop is   |
// |                                        | woken                                                              |
// | a message of another thread            | its modes are observed and attached; the first unread message, and |
// |                                        | each that attaches a mode, wakes the loop                          |
// | … while only a timer ends the sleep    | … and all attached modes are armed, and the loop is woken          |
// | a mode becomes a common mode           | runs may be hidden from now on, and the host wakes the loop        |
// | `beforeWaiting`, the last check:       |                                                                    |
// | - nothing of the package keeps the run | the loop sleeps                                                    |
// |   alive, and there is no garbage       |                                                                    |
// | - all tasks wait for their time, and   | the loop sleeps until the earliest alarm, which may be that of a   |
// |   none has run in this pass            | task of another mode                                               |
// | - else                                 | the loop makes another pass: at once, or, if each of the last five |
// |                                        | checks found only a recheck to do, after 0.1 s or at the earliest  |
// |                                        | alarm                                                              |
// | `afterWaiting`                         | the mode and the common modes are detached if they have no tasks   |
// |                                        | and no messages are unread, so that the run can end                |
// | `exit`                                 | the same, but a mode is attached again if the package kept the     |
// |                                        | innermost known outer run, or perhaps a hidden one of the same     |
// |                                        | mode, alive when this run was noted                                |
// | … if the outer run is or may be past   | all attached modes are armed, as the run may have consumed a       |
// |   its last check                       | wake-up of an outer run; those whose tasks all wait, for the alarm |
// | a pass of `advance(by:)` begins on the | its mode and the common modes are disarmed, so that it does not    |
// | main loop                              | serve timers of the package                                        |
// | a driven pass has returned to a hidden | the mode of that run is armed                                      |
// | run                                    |                                                                    |
// | a driven pass has returned, or a task  | no runs are hidden from now on, and a check follows                |
// | attaches or would arm a mode, outside  |                                                                    |
// | any run                                |                                                                    |
//
// *Attached*: a source keeps runs of the mode alive. *Armed*: a timer ends the next sleep in the mode, and no run of
// another mode can consume it, except that any common mode serves the timer of the common modes. A *driven pass* is
// one that the package makes in `runPass`, `runUntilTasksFinish` or `advance(by:)`, or at the end of a thread; a run of
// `runUntil` is none.
//
// A run is *hidden* if it began before its mode was observed or became common: it may sleep without a check, so what
// comes in arms its mode. At its next activity it is noted as a known run. But it may be inside other hidden runs, so
// the flag for these stays set. `RunFlags`, `NextSleep` and `LoopMode` show on timelines what is remembered, and when.

extension Scheduler {
  @inline(__always)
  func isAttached(_ mode: ModeID) -> Bool { pending.modes[Int(mode.index)].withUnretained { $0.isAttached } }

  /// The loop looks at the tasks once more before it sleeps.
  @inline(__always)
  var willCheckBeforeSleep: Bool { flags.nextSleep.load(ordering: .relaxed) == .comesAfterCheck }

  /// The current run can have no tasks. If runs are hidden, nothing tells which one that is, and this is false.
  @inline(__always)
  var isNothingAttached: Bool {
    if let run = runs.last, isAttached(run.mode) { return false }
    return !isAttached(.common) && !flags.areRunsHidden.load(ordering: .relaxed)
  }

  /// The innermost known run. There must be one.
  var currentRun: Run {
    @inline(__always) _read { yield runs[runs.count - 1] }
    @inline(__always) _modify { yield &runs[runs.count - 1] }
  }

  /// Wakes the current thread's loop.
  private func wake() { loop?.wakeUp() }

  /// Ends the next sleep in a mode, even if its last check is over and another run consumes the wake-up.
  private func endSleep(in mode: ModeID) {
    if !self[mode].isArmedForNow { attachment.withLock { $0.arm(self[mode]) } }
    wake()  // because CoreFoundation may hold up the timer behind one that cannot fire
  }

  // MARK: Tasks come in and go

  /// Keeps runs alive and awake in the modes of a task that has come in or was amended.
  @inline(__always)
  func keepAlive(for task: RunLoopTask) {
    task.forEachMode { if !isAttached($0) || !willCheckBeforeSleep { keepAlive(in: $0) } }
  }

  @inline(never)
  private func keepAlive(in mode: ModeID) {
    if isAttached(mode), self[mode].isArmedForNow { return }
    attachment.withLock { $0.attach(self[mode]) }
    guard let current = currentMode() else { return flags.noteThatNoRunIsUnderWay() }
    // If the innermost known run has another mode, the current run is hidden, or a nested run has left and not
    // returned. `observe` has set `areRunsHidden` if the mode is new. Otherwise the mode has become common unnoticed,
    // because the common modes were not attached. No check may follow. If a nested run has left, this costs one
    // unneeded pass.
    if current != runs.last?.mode { flags.nextSleep.store(.endsByTimer, ordering: .relaxed) }
    if !willCheckBeforeSleep { endSleep(in: mode) }
  }

  /// Observes a mode in which the package is about to run the loop, so that it sees the run begin and end.
  func observe(_ name: RunLoop.Mode) {
    guard hasLoop else { return }
    let mode = id(of: name)
    attachment.withLock { $0.observe(self[mode]) }
  }

  /// Takes the package's timers out of a mode and the common modes, before a pass that must not serve them. The next
  /// check arms what it needs, or the `exit` of the pass if the outer run is past its check.
  func disarm(in name: RunLoop.Mode) {
    let modes = [id(of: name), .common]
    attachment.withLock { _ in for mode in modes { self[mode].arm(at: .max) } }
  }

  /// A driven pass has returned. If the run that goes on now is hidden, the pass may have emptied and detached its
  /// mode, and that run must wake once more to find it empty. `leave` cannot arm the mode: until the pass has returned,
  /// `currentMode` tells the mode of the pass and not that of the outer run.
  func drivenRunHasReturned() {
    guard let outer = currentMode() else { return flags.noteThatNoRunIsUnderWay() }
    if outer != runs.last?.mode { attachment.withLock { $0.arm(self[outer]) } }
  }

  /// If the removal of a task has emptied some of its modes, ends the sleep there, so that runs of these can return.
  func endSleepOfEmptyModes(among modes: @autoclosure () -> [ModeID]) {
    if willCheckBeforeSleep { return }
    for mode in modes() where isAttached(mode) && !pending.hasTasks(in: mode) { endSleep(in: mode) }
  }

  /// User code has made a mode a common mode, on any thread. A run of the mode may be in progress.
  ///
  /// CoreFoundation holds its lock of the loop during this call, so this takes no lock of the package.
  func modeHasBecomeCommon() { flags.noteHiddenRuns() }

  // MARK: Before a sleep

  /// What the next pass of a run is for.
  private enum NextPass {
    /// Nothing of the package keeps the run alive, so the loop sleeps until something wakes it.
    case unneeded
    /// All tasks wait for their time, so the loop sleeps until the earliest alarm.
    case alarm
    /// Tasks can run.
    case tasks
    /// The pass may run no task: the run may return, an observer may schedule a task, and idle tasks run only if no
    /// others do.
    case recheck
  }

  @inline(__always)
  private func nextPass(in mode: ModeID) -> NextPass {
    if !garbage.isEmpty { return .tasks }  // the next activity releases it
    guard keepsAlive(mode) else { return .unneeded }
    if hasTasks(in: [.nextLoopBegan, .currentLoopEnded, .overdue], of: mode) { return .tasks }
    // Idle tasks wait for a pass without others. If each pass has others, the loop must not spin.
    if hasTasks(in: .idle, of: mode) { return currentRun.ran == .tasks ? .recheck : .tasks }
    // A batch is followed by one more pass, because a run finds its mode empty only after a sleep. SwiftUI needs that
    // pass, too: it looks for changed state before the tasks of a pass run, and a change does not wake the loop.
    return hasPendingTasks(in: mode) && currentRun.ran == .nothing ? .alarm : .recheck
  }

  /// The last check before a sleep. Only observers of order `.max` that were added later still follow: they may
  /// schedule tasks, and run the loop.
  func check(_ mode: ModeID) {
    flags.nextSleep.store(.endsByWakeUp, ordering: .relaxed)
    let (next, isCutShort) = (nextPass(in: mode), currentRun.isCutShort)
    currentRun.endPass(isRechecked: next == .recheck)
    if next == .unneeded { return resumeClockIfNested() }
    // On Linux a loop serves one port in an iteration, so a wake-up in each pass would hold up due timers of others. A
    // timer does not.
    // The mode is found without the lock, which `isCommon` may take.
    if isCutShort, isTimerReliable { return attachment.withLock { [timed = timedMode(of: mode)] in $0.arm(timed) } }
    guard next == .alarm || mustBackOff else { return wake() }
    resumeClockIfNested()
    let now = TaskClock.uptime
    let date = min(earliestAlarm(from: now), mustBackOff ? now + Self.backoff : .max)
    // A timer that may be held up is made anew, because the host then looks whether it is, and finds another way.
    let timed = timedMode(of: mode)
    if isTimerReliable, timed.keepsTimer(for: date, now) { return }
    attachment.withLock { $0.arm(timed, at: date, now) }
  }

  /// The mode to arm for the next pass of a run: the common modes, if only they are attached.
  func timedMode(of mode: ModeID) -> LoopMode { self[isAttached(mode) || !isCommon(mode) ? mode : .common] }

  /// A timer fires at its date. On Linux it may not in a nested run: a timer that has woken the outer run cannot fire
  /// before that goes on, and holds up later ones.
  private var isTimerReliable: Bool {
    !dueTimersHoldUpLaterOnes || runs.count == 1 && !flags.areRunsHidden.load(ordering: .relaxed)
  }

  /// The clock stands still in passes of `advance(by:)`, but runs on in a nested run that sleeps.
  private func resumeClockIfNested() {
    if clock.isFrozen, pass?.isInnermost == false { clock.resume() }
  }

  // MARK: Nested runs

  /// A run of a mode is at an activity. If the innermost known run has another mode, this one was hidden until now, and
  /// may be inside other hidden ones. If the modes are equal, it is that run: a run that begins in an observed mode is
  /// noted at its `entry`, so a hidden one of the same mode is outside the known one, and comes to no activity before.
  @inline(__always)
  func recognizeRun(of mode: ModeID) {
    forgetFiredTimers(in: mode)
    if runs.last?.mode == mode { return }
    flags.noteHiddenRuns()
    enterRun(of: mode)
  }

  /// Notes a run that begins or was hidden, and what is known of the outer run.
  func enterRun(of mode: ModeID) {
    var outer: [ModeID] = []
    if let known = runs.last?.mode, keepsAlive(known) { outer = [known] }
    // The outer run may be a hidden one of the same mode. If the mode has no tasks, that run may have to find it empty
    // by itself, which is a documented limitation; otherwise each nested run would attach an empty mode again.
    if flags.areRunsHidden.load(ordering: .relaxed), hasPendingTasks(in: mode) { outer.append(mode) }
    runs.append(Run(mode: mode, isOuterPastCheck: !runs.isEmpty && !willCheckBeforeSleep, outerModesKeptAlive: outer))
    flags.nextSleep.store(.comesAfterCheck, ordering: .relaxed)
  }

  /// Whether the package keeps runs of a mode alive.
  private func keepsAlive(_ mode: ModeID) -> Bool { isAttached(mode) || isAttached(.common) && isCommon(mode) }

  /// Whether tasks are pending that runs of a mode run, in line or waiting for their time.
  func hasPendingTasks(in mode: ModeID) -> Bool {
    pending.hasTasks(in: mode) || pending.hasTasks(in: .common) && isCommon(mode)
  }

  /// Notes that a run of a mode is at an activity: a timer that was due at once may have fired.
  ///
  /// The callers have read the messages before. A sender sets `hasMessages` under the lock before it arms the mode, so
  /// they have waited for it. Otherwise it could note a date whose timer has fired already:
  ///
  ///     sender        lock ─ message ─ timer ─────────── date: at once ─ unlock
  ///     own thread                        └ fires ─ reads: waits for the lock ─────── forgets the date
  @inline(__always)
  func forgetFiredTimers(in mode: ModeID) {
    pending.modes[Int(mode.index)].withUnretained { $0.forgetFiredTimer() }
    pending.modes[Int(ModeID.common.index)].withUnretained {
      if $0.isArmedForNow, isCommon(mode) { $0.forgetFiredTimer() }
    }
  }

  /// The loop leaves a run of a mode. If the outer run is past its last check, the outer run then sleeps without
  /// another look at the tasks.
  func leave(_ mode: ModeID) {
    let run = runs.removeLast()
    let position = pending.takePosition()
    pending.modes[Int(mode.index)].withUnretained { $0.tasks.lastExit = position }
    detachIfEmpty(mode)
    for outer in run.outerModesKeptAlive { attachment.withLock { $0.attach(self[outer]) } }
    guard run.isOuterPastCheck || flags.areRunsHidden.load(ordering: .relaxed) else { return }
    flags.nextSleep.store(.endsByTimer, ordering: .relaxed)
    attachment.withLock { attachment in
      pending.addModes(of: attachment.modes)  // `rearm` looks at their tasks
      for mode in attachment.modes where mode.isAttached { rearm(mode, attachment) }
    }
    catchUp()  // a sender that has not seen `endsByTimer` has sent its message before
  }

  /// Arms a mode for an outer run. If it is armed for now, and no run of the mode has been at an activity since, it
  /// stays so.
  ///
  /// Tasks that only wait for their time need no pass before then. If they got one, an observer that runs the loop
  /// nested in each pass would keep the loop awake.
  private func rearm(_ mode: LoopMode, _ attachment: borrowing LoopAttachment) {
    if mode.isArmedForNow { return }
    let onlyWait = pending.hasTasks(in: mode.id) && !pending.hasTasks(in: .all, of: mode.id)
    guard onlyWait else { return attachment.arm(mode) }
    let now = TaskClock.uptime
    let date = earliestAlarm(from: now)
    if !mode.keepsTimer(for: date, now) { attachment.arm(mode, at: date, now) }
  }

  /// The uptime of the earliest alarm, `.max` if there is none.
  private func earliestAlarm(from now: Int64) -> Int64 {
    pending.alarms.earliest.map { clock.uptime(of: $0, from: now) } ?? .max
  }

  /// Detaches a mode, and the common modes if it is one of them, if they have no tasks.
  func detachIfEmpty(_ mode: ModeID) {
    if mode != .common, isAttached(.common), isCommon(mode) { detachIfEmpty(.common) }
    if isAttached(mode), !pending.hasTasks(in: mode) { attachment.withLock { $0.detach(self[mode]) } }
  }

  /// So many checks in a row found only a recheck to do that the loop sleeps for a while before the next pass.
  var mustBackOff: Bool { currentRun.rechecks > 4 }

  /// The nanoseconds for which it sleeps then.
  private static let backoff: Int64 = 100_000_000
}
