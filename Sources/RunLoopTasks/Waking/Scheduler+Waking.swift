import Foundation

// Keeping runs alive and awake.
//
// A loop ignores a wake-up outside runs, and any nested run may consume one. The rules therefore rely on no earlier
// wake-up: each place from which the loop can go to sleep decides again, by looking at the pending tasks.
//
// | Where                                 | What happens there                                                  |
// |---------------------------------------|---------------------------------------------------------------------|
// | a task comes in                       | its modes are observed and attached                                 |
// | … after the last check before a sleep | … and made due, and the loop is woken                               |
// | a message of another thread           | its modes are observed and attached; the loop is woken unless an    |
// |                                       | earlier unread message has already woken it                         |
// | … between `exit` and the return of a  | … and all attached modes are made due, because the loop may ignore  |
// | nested run                            | a wake-up there                                                     |
// | `beforeWaiting`, the last check:      |                                                                     |
// | - neither the mode nor the common     | the loop sleeps                                                     |
// |   modes are attached                  |                                                                     |
// | - all tasks wait for their time       | the loop sleeps until the earliest alarm                            |
// | - else                                | the loop makes another pass, at once, or after 0.1 s if no task     |
// |                                       | could run at the last few checks                                    |
// | `afterWaiting`                        | the mode is detached if it has no tasks, so that the run can end    |
// | `exit`                                | the same, but the run around stays alive if it was at the `entry`   |
// | … if the run around is or may be past | all attached modes are made due, because the run may have consumed  |
// | its last check                        | a wake-up for the runs around it                                    |
//
// *Attached*: a source keeps runs of the mode alive. *Due*: a timer ends the next sleep in the mode, and no run of
// another mode can consume it, except that any common mode serves the timer of the common modes. A run is *hidden* until
// its next activity if it began before its mode was observed or became common: it may sleep without a check, so what
// comes in then makes its mode due. `RunFlags`, `NextSleep` and `LoopMode` draw what is remembered, and when.

extension Scheduler {
  @inline(__always)
  func isAttached(_ mode: ModeID) -> Bool { pending.modes[Int(mode.index)].withUnretained { $0.isAttached } }

  /// Whether the loop looks at the tasks once more before it sleeps.
  @inline(__always)
  var checksBeforeSleep: Bool { flags.nextSleep.load(ordering: .relaxed) == .comesAfterCheck }

  /// Whether neither the innermost run nor one that it may hide can have tasks.
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
    if !self[mode].isDueAtOnce { attachment.withLock { $0.makeDue(self[mode]) } }
    wake()  // because CoreFoundation may hold up the timer behind one that cannot fire
  }

  // MARK: Tasks come in and go

  /// Keeps runs alive and awake in the modes of a task that has come in or was amended.
  @inline(__always)
  func keepAlive(for task: RunLoopTask) {
    if task.mode != .several, isAttached(task.mode), checksBeforeSleep { return }
    task.forEachMode { keepAlive(in: $0) }
  }

  @inline(never)
  private func keepAlive(in mode: ModeID) {
    if isAttached(mode), checksBeforeSleep || self[mode].isDueAtOnce { return }
    attachment.withLock { $0.attach(self[mode]) }
    guard let current = currentMode() else { return flags.noteThatNoRunIsUnderWay() }
    // The mode of this run may have become common while the common modes were not attached, so that no callback came.
    // Or a nested run has left and not returned. Then this costs a turn in vain.
    if current != runs.last?.mode { flags.nextSleep.store(.endsByDueMode, ordering: .relaxed) }
    if !checksBeforeSleep { endSleep(in: mode) }
  }

  /// Observes a mode in which the package is about to run the loop, so that it sees the run begin and end.
  func observe(_ name: RunLoop.Mode) {
    guard hasLoop else { return }
    let mode = id(of: name)
    attachment.withLock { $0.observe(self[mode]) }
  }

  /// Takes back what is due in a mode before a pass that must not serve the timers of the package. If the pass is
  /// nested, its `exit` makes the modes due again.
  func takeBackDue(in name: RunLoop.Mode) {
    let modes = [id(of: name), .common]
    attachment.withLock { _ in for mode in modes { self[mode].makeDue(at: .max) } }
  }

  /// A driven pass has returned. If the run that goes on now is hidden, the pass may have emptied its mode, and that run
  /// has to find it out. At the `exit` of the pass, nothing told whether there is such a run.
  func drivenRunHasReturned() {
    guard let outer = currentMode() else { return flags.noteThatNoRunIsUnderWay() }
    if outer != runs.last?.mode { attachment.withLock { $0.makeDue(self[outer]) } }
  }

  /// Lets runs of the modes of a task that has gone return, if no other tasks are left there.
  func endSleepOfEmptyModes(among modes: @autoclosure () -> [ModeID]) {
    if checksBeforeSleep { return }
    for mode in modes() where isAttached(mode) && !pending.hasTasks(in: mode) { endSleep(in: mode) }
  }

  /// User code has made a mode a common mode, on any thread. A run of the mode may be in progress.
  ///
  /// CoreFoundation holds its lock of the loop during this call, so this takes no lock of the package.
  func modeHasBecomeCommon() { flags.noteHiddenRuns() }

  // MARK: Before a sleep

  /// What the next pass of a run is for.
  private enum NextPass {
    /// Neither the mode nor the common modes are attached, so the loop sleeps until something wakes it.
    case unneeded
    /// All tasks wait for their time, so the loop sleeps until the earliest alarm.
    case alarm
    /// Tasks can run.
    case tasks
    /// No task can run, but the run may return, or an observer may schedule another task.
    case recheck
  }

  @inline(__always)
  private func nextPass(in mode: ModeID) -> NextPass {
    if !garbage.isEmpty { return .tasks }  // the next activity releases it
    guard keepsAlive(mode) else { return .unneeded }
    if hasTasks(in: [.nextLoopBegan, .currentLoopEnded, .overdue], of: mode) { return .tasks }
    // Tasks of each pass may put idle ones off for ever, and then the loop must not spin.
    if hasTasks(in: .idle, of: mode) { return currentRun.ran == .tasks ? .recheck : .tasks }
    // A run finds its mode empty only after a sleep, so a batch is followed by one more pass. SwiftUI needs it, too: it
    // looks for changed state before the tasks of a pass run, and a change does not wake the loop.
    return hasPendingTasks(in: mode) && currentRun.ran == .nothing ? .alarm : .recheck
  }

  /// The last check before a sleep. Only observers of the last order that were added later still follow: they may
  /// schedule tasks, and run the loop.
  func check(_ mode: ModeID) {
    flags.nextSleep.store(.endsByWakeUp, ordering: .relaxed)
    let (next, isCutShort) = (nextPass(in: mode), currentRun.isCutShort)
    currentRun.endPass(isFruitless: next == .recheck)
    if next == .unneeded { return resumeClockIfNested() }
    // On Linux a wake-up takes the place of the due timers of others in this pass. A timer does not.
    if isCutShort, isTimerReliable { return attachment.withLock { $0.makeDue(self[mode]) } }
    guard next == .alarm || mustBackOff else { return wake() }
    resumeClockIfNested()
    let now = TaskClock.uptime
    let date = min(earliestAlarm(from: now), mustBackOff ? now + Self.backoff : .max)
    // A timer that may be held up is made anew. The host then finds out, and also wakes the loop in another way.
    let timed = self[isAttached(mode) ? mode : .common]
    if isTimerReliable, timed.keepsTimer(for: date, now) { return }
    attachment.withLock { $0.makeDue(timed, at: date, now) }
  }

  /// Whether a timer is enough to end the sleep. In a nested run it is not: a timer that has woken the run around cannot
  /// fire before that goes on, and on Linux it holds up later ones.
  private var isTimerReliable: Bool { runs.count == 1 && !flags.areRunsHidden.load(ordering: .relaxed) }

  /// The clock stands still in advanced passes, but runs on in a nested run that sleeps.
  private func resumeClockIfNested() {
    if clock.isFrozen, pass?.isInnermost == false { clock.resume() }
  }

  // MARK: Nested runs

  /// A run of a mode is at an activity. If the innermost known run has another mode, this one was hidden until now, and
  /// others may be around it.
  @inline(__always)
  func recognizeRun(of mode: ModeID) {
    noteActivity(in: mode)
    if runs.last?.mode == mode { return }
    flags.noteHiddenRuns()
    enterRun(of: mode)
  }

  /// Notes a run that begins or shows itself, and what is known of the run around it.
  func enterRun(of mode: ModeID) {
    var outer: [ModeID] = []
    if let known = runs.last?.mode, keepsAlive(known) { outer = [known] }
    // The outer run may be a hidden one of the same mode. For it tasks decide, or each nested run would attach an empty
    // mode again.
    if flags.areRunsHidden.load(ordering: .relaxed), hasPendingTasks(in: mode) { outer.append(mode) }
    runs.append(Run(mode: mode, isOuterPastCheck: !runs.isEmpty && !checksBeforeSleep, outerModesKeptAlive: outer))
    flags.nextSleep.store(.comesAfterCheck, ordering: .relaxed)
  }

  /// Whether the package keeps runs of a mode alive.
  private func keepsAlive(_ mode: ModeID) -> Bool { isAttached(mode) || isAttached(.common) && isCommon(mode) }

  /// Whether tasks are pending that runs of a mode run, in line or waiting for their time.
  func hasPendingTasks(in mode: ModeID) -> Bool {
    pending.hasTasks(in: mode) || pending.hasTasks(in: .common) && isCommon(mode)
  }

  /// Notes that a run of a mode may have used up what was due there.
  ///
  /// The callers have read the messages before, and so have waited for a sender that is making the mode due. Otherwise
  /// the sender could note a date whose timer has fired already:
  ///
  ///     sender        lock ─ message ─ timer ─────────── date: at once ─ unlock
  ///     own thread                        └ fires ─ reads: waits for the lock ─────── noteActivity: no date
  @inline(__always)
  func noteActivity(in mode: ModeID) {
    pending.modes[Int(mode.index)].withUnretained { $0.noteActivity() }
    pending.modes[Int(ModeID.common.index)].withUnretained { if $0.isDueAtOnce, isCommon(mode) { $0.noteActivity() } }
  }

  /// The loop leaves a run of a mode. The run around it may be past its last check, and then sleeps without another look
  /// at the tasks.
  func leave(_ mode: ModeID) {
    let run = runs.removeLast()
    pending.noteExit(of: mode)
    detachIfEmpty(mode)
    for outer in run.outerModesKeptAlive { attachment.withLock { $0.attach(self[outer]) } }
    guard run.isOuterPastCheck || flags.areRunsHidden.load(ordering: .relaxed) else { return }
    flags.nextSleep.store(.endsByDueMode, ordering: .relaxed)
    attachment.withLock { attachment in
      pending.addModes(of: attachment.modes)  // which `makeDueAgain` looks up
      for mode in attachment.modes where mode.isAttached { makeDueAgain(mode, attachment) }
    }
    catchUp()
  }

  /// Makes a mode due for a run around the one that is left, unless it has stayed due.
  ///
  /// Tasks that only wait for their time need no pass before it. If they got one, an observer that runs the loop nested
  /// in each pass would keep the loop awake.
  private func makeDueAgain(_ mode: LoopMode, _ attachment: borrowing LoopAttachment) {
    if mode.isDueAtOnce { return }
    let onlyWait = pending.hasTasks(in: mode.id) && !pending.hasTasks(in: .all, of: mode.id)
    guard onlyWait else { return attachment.makeDue(mode) }
    let now = TaskClock.uptime
    let date = earliestAlarm(from: now)
    if !mode.keepsTimer(for: date, now) { attachment.makeDue(mode, at: date, now) }
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

  /// Whether so many passes in a row were fruitless that the loop sleeps before the next one.
  var mustBackOff: Bool { currentRun.fruitlessPasses > 4 }

  /// The nanoseconds for which it sleeps then.
  private static let backoff: Int64 = 100_000_000
}
