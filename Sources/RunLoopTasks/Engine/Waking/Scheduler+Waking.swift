import Foundation

// Keeping runs alive and awake.
//
// A loop ignores a wake-up outside runs, and a nested run of any mode may consume one. So at the last look before each
// sleep, the loop's own thread reads the messages and decides by the tasks, whatever has woken it before.
//
// A task *belongs* to a mode if it names the mode, or if it names `.common` and the mode is common.
//
// | Where                     | What happens there                                                              |
// |---------------------------|---------------------------------------------------------------------------------|
// | first use of a mode       | it is observed; inside a run, the loop is woken, to come to an activity (a run  |
// |                           | that is nested there may consume this: see the article *Limitations*)           |
// | a task or a message for a | the mode is attached: the keeper, a source that does nothing, keeps its runs    |
// | mode                      | alive; for `.common`, all modes that are known to be common                     |
// | a mode becomes common     | the loop's probe, another source, keeps its runs alive; when the tasks are next |
// |                           | looked at for it, at the latest at the last look, the keeper takes over         |
// | the first unread message  | the loop is woken                                                               |
// | what is sent first after  | the loop is woken, even if older messages are unread, as nothing may have seen  |
// | a mode has become common  | the wake-up for these                                                           |
// | the last look before a    | `Run.endPass` decides whether the loop sleeps, but not in a pass that the       |
// | sleep                     | package drives, as that is stopped there; once too many passes in a row were    |
// |                           | made only to look again, the loop sleeps for 0.1 s at most: see `Run`           |
// | `afterWaiting`, `exit`,   | the modes to which no pending task belongs are detached, unless messages are    |
// | before a sleep            | unread                                                                          |
// | `exit`, before a sleep    | sources that have commands are signalled                                        |
//
// CoreFoundation finds out that the mode of a run is empty at the end of an iteration, so after the sleep. When a mode
// is detached, each known run therefore makes one more pass, whatever its mode: a needless pass is cheap. At
// `afterWaiting` the innermost run need not, as CoreFoundation's check comes anyway.
extension Scheduler {
  /// Keeps runs alive in the modes of a task.
  @inline(__always)
  func keepAlive(_ task: RunLoopTask) {
    task.forEachMode { mode in if !isAttached(mode) { attachment.withLock { $0.attach(mode) } } }
  }

  /// Tasks have come, gone or changed. A run looks at the tasks before it sleeps. An event loop that embeds the main
  /// loop does not, so it is woken.
  func wakeHostForChange() {
    if changesWakeHost { loop?.wakeUp() }
  }

  /// Wakes the loop, from any thread. The lock is not held then, because the woken thread takes it at once.
  func wakeLoop() { attachment.withLock({ $0.loop })?.wakeUp() }

  private func isAttached(_ mode: ModeID) -> Bool { pending.with(mode) { $0.isAttached } }

  /// Detaches all modes to which no pending task belongs, but none while messages are unread, for which
  /// another look comes.
  func detachEmptyModes() {
    for mode in pending.modes where mode.withUnretained({ $0.isAttached && !hasPendingTasks(in: $0.id) }) {
      let mode = mode.takeUnretainedValue()
      if mode.id == .common { continue }  // it is detached with the first of its modes
      guard attachment.withLock({ $0.detach(mode) }) else { return }
      forEachRun { $0.requestRecheck() }
    }
  }

  /// Whether tasks that belong to a mode are pending, in line or waiting for their time.
  func hasPendingTasks(in mode: ModeID) -> Bool {
    pending.hasTasks(in: mode) || pending.hasTasks(in: .common) && isCommon(mode)
  }

  /// The date of the earliest alarm, if tasks that belong to a mode are pending; `.max` for never. It may be that of a
  /// task of other modes, and then wakes the loop for nothing.
  func earliestAlarm(in mode: ModeID) -> Int64 { hasPendingTasks(in: mode) ? pending.earliestAlarm : .max }

  // MARK: Before a sleep

  /// The last look before a sleep. Only observers of order `.max` that were added later still follow, and the loop may
  /// sleep on what they schedule.
  func prepareToSleep() {
    assertInvariants()
    let mode = currentRun.mode
    if drivenPass != nil { return }  // it is stopped at this activity, and nothing reads what `endPass` resets
    detachEmptyModes()
    let lists = listsInLine(in: mode)
    // In a nested run the call back may fail to come, and only idle tasks wait for it.
    let mustWait = mustYield && (runs.count == 1 || lists == .idle)
    switch currentRun.endPass(lists, hasGarbage: !garbage.isEmpty, mustYield: mustWait) {
    case .pass: loop?.wakeUp()
    case .backOff: letSleep(until: clock.now.addingSaturated(Self.backOff))
    case .waitForCallBack: letSleep(until: armCallBack(in: mode))
    case .sleep: letSleep(until: .max)
    }
  }

  /// - Parameter date: the date of the task clock until which the loop may sleep at most, `.max` for ever.
  private func letSleep(until date: Int64) {
    // In a nested run that sleeps in a pass of `advance(by:)`, time goes on.
    if clock.isFrozen { changeClock { $0.resume() } }
    loop?.setAlarm(at: min(date, earliestAlarm(in: currentRun.mode)), self)
  }

  /// The sources of users, and of a `RunLoopThread`. If another thread releases one meanwhile, no closure goes with it:
  /// it has taken them out before.
  var sources: [any SourceOwner] { attachment.withLock { $0.sources.values.map(\.owner) } }

  /// Signals the sources of a mode that have commands, and wakes the loop for them. A batch limit may have left the
  /// commands, or a nested run may have used up the wake-up.
  ///
  /// - Returns: whether there are any.
  @discardableResult
  func signalSources(in mode: ModeID) -> Bool {
    let modes = isCommon(mode) ? [self[mode].name, .common] : [self[mode].name]
    guard sources.count(where: { $0.signalIfReady(in: modes) }) > 0 else { return false }
    loop?.wakeUp()
    return true
  }

  /// How long the loop sleeps where nothing says when to look again, in nanoseconds.
  static let backOff: Int64 = 100_000_000

  /// What the code relies on when it looks at the tasks, checked in debug builds.
  private func assertInvariants() {
    for mode in pending.modes {
      assert(mode.withUnretained { $0.isAttached || $0.tasks.isEmpty }, "a mode with tasks is not kept alive")
      assert(mode.withUnretained { $0.tasks.waitingCount == 0 } || pending.earliestAlarm < .max, "a wait has no alarm")
    }
  }
}
