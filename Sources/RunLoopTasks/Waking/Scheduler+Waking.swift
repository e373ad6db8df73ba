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
// | … after the `exit` of a nested run    | … and all attached modes are made due, because the loop may ignore  |
// |                                       | a wake-up there                                                     |
// | … before a run of the mode was seen   | … and made due, because a run under way may not look for messages   |
// |                                       | before it sleeps                                                    |
// | `beforeWaiting`, the last check:      |                                                                     |
// | - nothing is attached                 | the loop sleeps                                                     |
// | - all tasks wait for their time       | the loop sleeps until the earliest alarm                            |
// | - else                                | the loop makes another turn, at once, or after 0.1 s if the last    |
// |                                       | few were in vain                                                    |
// | `afterWaiting`                        | modes without tasks are detached, so that their runs can end        |
// | `exit` of a nested run                | what the runs around it rely on is made due: it may have consumed   |
// |                                       | their wake-ups                                                      |
//
// *Attached*: a source keeps runs of the mode alive. *Due*: a timer ends the next sleep in the mode, and no run of
// another mode can consume it. `Runs.swift` draws what is remembered of runs, and when.

extension Scheduler {
  @inline(__always)
  func isAttached(_ mode: ModeID) -> Bool { modes[Int(mode.index)].withUnretained { $0.isAttached } }

  var isNothingAttached: Bool { flags.attachedModes.load(ordering: .relaxed) == 0 }

  /// Wakes the current thread's loop.
  func wake() { loop?.wakeUp() }

  func makeDue(_ mode: ModeID, after seconds: Double) {
    let seconds = min(seconds, 1e9)  // CoreFoundation cannot count much further
    attachment.withLock { $0.makeDue(self[mode], after: seconds) }
  }

  /// Ends the next sleep in a mode at once, even if its last check is over.
  func endSleep(in mode: ModeID) {
    makeDue(mode, after: 0)
    wake()  // because CoreFoundation may hold up the timer behind one that cannot fire
  }

  // MARK: A task comes in

  /// Keeps runs alive and awake in the modes of a task that has come in or was amended.
  @inline(__always)
  func keepAlive(for task: RunLoopTask) {
    guard task.mode != .several, isAttached(task.mode), !runs.isPastCheck else {
      return task.forEachMode { keepAlive(in: $0) }
    }
  }

  @inline(never)
  private func keepAlive(in mode: ModeID) {
    let wasAttached = isAttached(mode)
    if wasAttached, !runs.isPastCheck { return }
    let isNew = attachment.withLock { $0.attach(self[mode]) }
    guard let current = currentMode() else {
      flags.areRunsHidden.store(false, ordering: .relaxed)  // outside any run
      runs.isPastCheck = false
      return
    }
    let isHidden = current != runs.innermost
    if isHidden { flags.areRunsHidden.store(true, ordering: .relaxed) }
    // The current run may go to sleep without a look at the task: its last check is over, or it began before its mode
    // was observed and makes no check.
    guard runs.isPastCheck || !wasAttached && (isNew || isHidden) else { return }
    if serves(mode, inRunOf: current) {
      endSleep(in: mode)
      runs.isPastCheck = false
    } else if wasAttached, attachment.withLock({ _ in self[mode].host.secondsLeft }) == 0 {
      wake()  // because the timer of a mode that is not being run stays due for all further tasks
    } else {
      endSleep(in: mode)
    }
  }

  /// Whether a run of a mode runs the tasks of another, which is the same or that of the common modes.
  private func serves(_ mode: ModeID, inRunOf current: ModeID) -> Bool {
    mode == current || mode == .common && isCommon(current)
  }

  /// User code has made a mode a common mode, on any thread. A run of the mode may be in progress.
  ///
  /// CoreFoundation holds its lock of the loop during this call, so this takes no lock of the package.
  func modeHasBecomeCommon(onLoopThread: Bool) {
    flags.areRunsHidden.store(true, ordering: .relaxed)
    if onLoopThread { runs.isPastCheck = true }
  }

  // MARK: Before a sleep

  /// What the next turn of a run is for.
  private enum NextTurn {
    /// Nothing is attached, so the loop sleeps until something wakes it.
    case unneeded
    /// All tasks wait for their time, so the loop sleeps until the earliest alarm.
    case alarm
    /// Tasks can run.
    case tasks
    /// No task can run, but the run may return, or an observer may schedule another task.
    case recheck
  }

  @inline(__always)
  private func nextTurn(in mode: ModeID) -> NextTurn {
    let servesCommon = isAttached(.common) && isCommon(mode)
    guard isAttached(mode) || servesCommon else { return .unneeded }
    if hasTasks(in: [.nextLoopBegan, .currentLoopEnded, .overdue], of: mode) { return .tasks }
    if hasTasks(in: .idle, of: mode) { return runs.current.ran == .tasks ? .recheck : .tasks }
    let isPending = pending.hasTasks(in: mode) || servesCommon && pending.hasTasks(in: .common)
    // A run finds its mode empty only after a sleep, so a batch is followed by one more turn. SwiftUI needs it, too: it
    // looks for changed state before the tasks of a pass run, and a change does not wake the loop.
    return isPending && runs.current.ran == .nothing ? .alarm : .recheck
  }

  /// The last check before a sleep. The loop has called all other observers.
  func check(_ mode: ModeID) {
    runs.isPastCheck = true
    let next = nextTurn(in: mode)
    runs.current.noteTurn(isFruitless: next == .recheck)
    if next == .unneeded, garbage.isEmpty { return resumeClockIfNested() }
    // On Linux a wake-up takes the place of the due timers of others in this turn. A timer does not.
    if runs.current.isCutShort, canUseTimer { return makeDue(mode, after: 0) }
    let mustBackOff = runs.current.fruitlessTurns > Runs.turnsBeforeBackoff
    guard garbage.isEmpty, next == .alarm || mustBackOff else { return wake() }
    resumeClockIfNested()
    makeDue(mode, after: mustBackOff ? min(0.1, secondsToAlarm) : secondsToAlarm)
  }

  /// Whether a timer always ends the sleep. A timer that has woken an outer run may hold up that of a nested run.
  private var canUseTimer: Bool { runs.depth == 1 && !flags.areRunsHidden.load(ordering: .relaxed) }

  /// The clock stands still in advanced passes, but runs on in a nested run that sleeps.
  private func resumeClockIfNested() {
    if clock.isFrozen, pass?.isInnermost == false { clock.resume() }
  }

  /// The seconds until the earliest alarm.
  private var secondsToAlarm: Double {
    guard let alarm = pending.earliestAlarm else { return .infinity }
    // A microsecond later, because CoreFoundation's dates are coarser than a nanosecond.
    return max(0, Double(alarm - clock.now) / 1e9) + 1e-6
  }

  // MARK: Nested runs

  /// The loop enters a run of a mode.
  func enterRun(of mode: ModeID) {
    let owed = isInsideOtherRuns ? modeIDs.filter(isOwedWakeUp) : []
    flags.mayIgnoreWakeUps.store(false, ordering: .relaxed)
    self[mode].hasBeenSeenRunning.store(true, ordering: .relaxed)
    if isCommon(mode) { self[.common].hasBeenSeenRunning.store(true, ordering: .relaxed) }
    runs.enter(mode, owedWakeUps: owed)
  }

  /// The loop leaves a run of a mode, and has called all other observers.
  func leave(_ mode: ModeID) {
    let run = runs.leave()
    runs.isPastCheck = isInsideOtherRuns
    pending.noteExit(of: mode)
    if !isNothingAttached, isCommon(mode) { pending.noteExit(of: .common) }
    let owed = isInsideOtherRuns ? modeIDs.filter { run.owedWakeUps.contains($0) || isOwedWakeUp($0) } : []
    for other in owed {
      // Tasks that only wait for their time need no turn before it. With one, a run that an observer nests in each turn
      // would keep the loop turning.
      let onlyWait = pending.hasTasks(in: other) && !pending.hasTasks(in: .all, of: other)
      makeDue(other, after: onlyWait ? secondsToAlarm : 0)
    }
    detachIfEmpty(mode, except: owed)
    guard isInsideOtherRuns else { return }
    // With the lock and after the others, so that a message either sees the flag and makes its modes due, or is read.
    attachment.withLock { _ in flags.mayIgnoreWakeUps.store(true, ordering: .relaxed) }
    readMessages()
  }

  private var modeIDs: [ModeID] { modes.indices.map { ModeID(index: UInt16($0)) } }

  /// A pass that the package drives has returned. Unlike at an `exit`, it is known now whether a run is around it.
  func drivenPassHasReturned() {
    guard let outer = currentMode() else { return flags.areRunsHidden.store(false, ordering: .relaxed) }
    if flags.areRunsHidden.load(ordering: .relaxed) { makeDue(outer, after: 0) }
  }

  /// Whether the loop may be inside other runs than the one that it is entering or has left.
  private var isInsideOtherRuns: Bool { !runs.isEmpty || flags.areRunsHidden.load(ordering: .relaxed) }

  /// Whether such a run relies on a wake-up in a mode, which a run nested in it may consume.
  ///
  /// Of the known runs only the one directly around counts, because it has noted what the runs around itself rely on.
  /// Hidden runs may not be there. For them only modes with tasks count, or an empty mode would stay attached forever.
  private func isOwedWakeUp(_ mode: ModeID) -> Bool {
    if let around = runs.innermost, serves(mode, inRunOf: around) { return isAttached(mode) }
    return flags.areRunsHidden.load(ordering: .relaxed) && pending.hasTasks(in: mode)
  }

  /// Detaches a mode, and the common modes if it is one of them, if they have no tasks.
  func detachIfEmpty(_ mode: ModeID, except owed: [ModeID] = []) {
    guard !isNothingAttached else { return }
    if isAttached(.common), isCommon(mode) { detachIfEmpty(only: .common, except: owed) }
    detachIfEmpty(only: mode, except: owed)
  }

  private func detachIfEmpty(only mode: ModeID, except owed: [ModeID]) {
    guard isAttached(mode), !pending.hasTasks(in: mode), !owed.contains(mode) else { return }
    attachment.withLock { $0.detach(self[mode]) }
  }
}
