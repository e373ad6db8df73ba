import Foundation

// What happens at the activities of a run. `runBegins` and `lastLook` must run no user code but the `==` of keys. Each
// comes from a single observer, which CoreFoundation does not call inside itself, so a run nested in it would go
// unseen. Only tasks have a further observer for each level of nesting.
extension Scheduler {
  /// Notes a run that begins. The loop calls this before the other observers of `entry`, except for those of order
  /// `.min` that were added earlier.
  func runBegins(in mode: ModeID) {
    runs.beginRun(in: mode)
    noteRun()
  }

  /// Runs the tasks that are due at a moment. The loop calls this among the other observers.
  @inline(__always)
  func handle(_ moment: Moment, in currentMode: @autoclosure () -> ModeID) {
    catchUpAndRelease()
    // Without tasks, nothing is due. A run that is not recognized here makes a needless pass at most.
    guard isAnyModeAttached else { return }
    let mode = currentMode()
    recognizeRun(of: mode)
    noteIfCommon(mode)
    let lists = runs.come(to: moment, inLine: listsInLine(in: mode))
    if moment == .entry { armCallBack(at: .entry, in: mode) }
    runBatch(lists, in: mode, lastExit: moment == .entry ? store.lastExit(of: mode) : nil)
    guard moment == .afterWaiting else { return }
    detachEmptyModes()
    runs.noteWaking()
  }

  /// Ends a pass, and at `exit` the run, after a last look at the tasks. The loop calls this after the other observers
  /// of `beforeWaiting` or `exit`, except for those of order `.max` that were added later.
  func lastLook(at moment: Moment, in mode: ModeID) {
    catchUp()
    recognizeRun(of: mode)
    noteIfCommon(mode)
    signalSources(in: mode)
    if moment == .beforeWaiting { return prepareToSleep() }
    runs.endRun()
    noteEndOfRuns()
    store.noteExit(of: mode)
    detachEmptyModes()
  }

  /// Runs tasks outside runs, or in one. For a loop that nobody runs, that is a run.
  func countAsRun<Result>(_ body: () -> Result) -> Result {
    unrunLoop.runBegins()
    runs.callsThatCount += 1
    defer {
      runs.callsThatCount -= 1
      noteEndOfRuns()
    }
    return body()
  }

  private func noteEndOfRuns() { if runs.depth + runs.callsThatCount == 0 { unrunLoop.runsEnd(of: self) } }

  /// Notes the innermost run if it began before its mode was observed. It is then not the last known one. Nor is
  /// another run of its mode: that would have been noted when it began, and has ended.
  @inline(__always)
  private func recognizeRun(of mode: ModeID) {
    if runs.mode == mode { return }
    runs.recognize(in: mode)
    noteRun()
  }

  /// A run has begun, or was recognized.
  private func noteRun() {
    unrunLoop.runBegins()
    // The callback may just have woken the run around. In this one it then cannot fire, holds up all other timers and
    // keeps the mode alive, perhaps as all that the mode has. It is armed anew for what waits for it.
    if runs.depth > 1, loop?.disarmCallBack() == true { runs.requestRechecks() }
  }

  /// Whether any mode has the keeper. If not, no tasks are pending. A message that comes now is read at the last look.
  @inline(__always)
  var isAnyModeAttached: Bool { store.modes.contains { $0.withUnretained { $0.isAttached } } }

  /// Arms the callback if tasks of a mode wait for it, at `entry` or before a sleep, which it ends.
  ///
  /// - Returns: the lists whose tasks wait for it.
  @discardableResult
  func armCallBack(at moment: Moment, in mode: ModeID) -> ListSet {
    let lists = runs.listsThatWait(at: moment)
    guard !lists.isEmpty, hasTasksInLine(lists, in: mode) else { return [] }
    loop?.armCallBack(in: self[mode].name) { [unowned self] in runs.noteCallBack() }
    return lists
  }
}

// Keeping runs alive and awake.
//
// A loop ignores a wake-up outside runs, and a nested run of any mode may consume one. So at the last look before each
// sleep, the loop's own thread reads the messages and decides by the tasks, whatever has woken it before.
//
// A task *belongs* to a mode if it names the mode, or if it names `.common` and the mode is common.
//
// |   | Event                     | What is done                                                                     |
// |---|---------------------------|----------------------------------------------------------------------------------|
// | 1 | the first use of a mode   | it is observed; inside a run, the loop is woken, to come to an activity (a run   |
// |   |                           | that is nested there may consume this: see the article *Limitations*)            |
// | 2 | a task or a message for a | the mode is attached: the keeper, a source that does nothing, keeps its runs     |
// |   | mode                      | alive; for `.common`, all modes that are known to be common                      |
// | 3 | a mode becomes common     | the loop's probe, another source, keeps its runs alive; when the tasks are next  |
// |   |                           | looked at for it, at the latest at the last look, the keeper takes over          |
// | 4 | the first unread message  | the loop is woken                                                                |
// | 5 | the last look before a    | `Run.endPass` decides whether the loop sleeps, but not in a pass that the        |
// |   | sleep                     | package drives, as that is stopped there                                         |
// | 6 | `afterWaiting`, `exit`,   | the modes to which no pending task belongs are detached, unless messages are     |
// |   | before a sleep            | unread                                                                           |
// | 7 | `exit`, before a sleep    | sources that have commands are signalled                                         |
// | 8 | a run begins in another   | the callback is disarmed, as it cannot fire there                                |
//
// `WakingSearchTests.theLoopNeverSleepsOnWorkInRandomRuns` needs 2 to 6, and that modes are observed. Alone,
// 1: `BeforeSleepTests.theLoopDoesNotSleepOnTheFirstTaskOfItsMode`,
// 2: `KeepAliveTests.aRunOnABareThreadReturnsAfterTheLastOfItsTasks`,
// 3: `ModeTests.tasksRunFromTheNextActivityOnInAModeThatBecomesCommonInItsRun`,
// 4: `WakingCostTests.aThousandPostsWakeTheLoopOnce`,
// 5: `SleepTests.theLoopSleepsOnceAllTasksAreDone`, `BeforeSleepTests.theLoopDoesNotSleepOnATaskOfAnObserver`, and for
//    the driven pass `AdvanceTests.theClockStandsStillThroughoutAPass`,
// 6: `WakingCostTests.aTaskThatIsScheduledInAnAfterWaitingObserverCostsNothing` at `afterWaiting`,
//    `KeepAliveTests.aNestedLoopOfPollsFindsItsModeEmpty` at `exit`, and before a sleep
//    `KeepAliveTests.aRunReturnsIfTheLastObserverTakesItsOnlyTaskAway`,
// 7: `SourceDeliveryTests.whatAPassLeavesThatAnotherSourceStopsIsDelivered` at `exit`, and before a sleep
//    `SourceDeliveryTests.whatAPassLeavesIsDelivered`,
// 8: `IdleNestedTests.aRunNestedWhereTheCallBackWokeTheOuterOneIsAsAnyOther`.
//
// CoreFoundation finds out that the mode of a run is empty at the end of an iteration, so after the sleep. When a mode
// is detached, each known run therefore makes one more pass, whatever its mode: a needless pass is cheap. At
// `afterWaiting` the innermost run need not, as CoreFoundation's check comes anyway.
extension Scheduler {
  /// Keeps runs alive in the modes of a task.
  @inline(__always)
  func keepAlive(_ task: RunLoopTask) {
    task.forEachMode { mode in if !isAttached(mode) { inbox.attach(mode) } }
  }

  /// Wakes the loop, from any thread. The lock is not held then, because the woken thread takes it at once.
  func wakeLoop() { wake(inbox.loop) }

  @inline(__always)
  func wake(_ loop: (any LoopDriver)?) {
    loop?.wakeUp()
    if isHeard { tell { $0.loopIsWoken() } }
  }

  private func isAttached(_ mode: ModeID) -> Bool { store.with(mode) { $0.isAttached } }

  /// Detaches all modes to which no pending task belongs, but none while messages are unread, for which
  /// another look comes.
  func detachEmptyModes() {
    for mode in store.modes where mode.withUnretained({ $0.isAttached && !hasPendingTasks(in: $0.id) }) {
      let mode = mode.takeUnretainedValue()
      if mode.id == .common { continue }  // it is detached with the first of its modes
      guard inbox.detach(mode) else { return }
      runs.requestRechecks()
    }
  }

  /// Whether tasks that belong to a mode are pending, in line or waiting for their time.
  func hasPendingTasks(in mode: ModeID) -> Bool {
    store.pending.hasTasks(in: mode) || store.pending.hasTasks(in: .common) && isCommon(mode)
  }

  /// The date of the earliest alarm, if tasks that belong to a mode are pending; `.max` for never. It may be that of a
  /// task of other modes, and then wakes the loop for nothing.
  func earliestAlarm(in mode: ModeID) -> Int64 {
    hasPendingTasks(in: mode) && !clock.isHeld ? store.pending.earliestAlarm : .max
  }

  /// Something else than a task has left a mode of a run: see `Run.requestRecheck`.
  func modeMayBeEmpty() { runs.requestRechecks() }

  // MARK: Before a sleep

  /// The last look before a sleep. Only observers of order `.max` that were added later still follow, and the loop may
  /// sleep on what they schedule.
  func prepareToSleep() {
    assertInvariants()
    guard let mode = runs.mode else { return }
    if runs.drivenPass != nil { return }  // it is stopped at this activity, and nothing reads what `endPass` resets
    detachEmptyModes()
    let waiting = armCallBack(at: .beforeWaiting, in: mode)
    let lists = listsInLine(in: mode).subtracting(waiting)
    switch runs.endPass(lists, hasGarbage: store.hasGarbage, isCalledBack: !waiting.isEmpty) {
    case .pass: loop?.wakeUp()
    case .backOff: letSleep(until: clock.now.addingSaturated(Run.backOff), in: mode)
    case .sleep: letSleep(until: !waiting.isEmpty ? clock.date(of: runs.idleWait.limit) : .max, in: mode)
    }
  }

  /// - Parameter date: the date of the task clock until which the loop may sleep at most, `.max` for ever.
  private func letSleep(until date: Int64, in mode: ModeID) {
    // In a nested run that sleeps in a pass of `advance(by:)`, time goes on.
    if clock.isFrozen { changeClock { $0.resume() } }
    loop?.setAlarm(at: min(date, earliestAlarm(in: mode)), self)
  }

  /// Signals the sources of a mode that have commands, and wakes the loop for them. A driven pass may have left the
  /// commands, or a nested run may have used up the wake-up.
  ///
  /// - Returns: whether there are any.
  @discardableResult
  func signalSources(in mode: ModeID) -> Bool {
    guard inbox.hasHadSources else { return false }
    let modes = isCommon(mode) ? [self[mode].name, .common] : [self[mode].name]
    guard inbox.sources.count(where: { $0.signalIfReady(in: modes) }) > 0 else { return false }
    loop?.wakeUp()
    return true
  }

  /// What the code relies on when it looks at the tasks, checked in debug builds.
  private func assertInvariants() {
    for mode in store.modes {
      assert(mode.withUnretained { $0.isAttached || $0.tasks.isEmpty }, "a mode with tasks is not kept alive")
      assert(
        mode.withUnretained { $0.tasks.waitingCount == 0 } || store.pending.earliestAlarm < .max, "a wait has no alarm")
    }
  }
}
