import CoreFoundation
import Foundation

/// The order of the tasks among the observers of an activity.
///
/// Tasks run after an app's own observers, most of which have order 0. A task that such an observer schedules for the
/// end of the pass therefore still runs in that pass. Tasks run before UIKit prepares (1,999,000) and Core Animation's
/// observer commits (2,000,000).
private let taskOrder = 1_998_000

// The scheduler's observers of the loop. `enter` comes before all other observers, `handle` runs the tasks, and
// `finish` comes after all other observers. Only `handle` calls user code.
extension Scheduler {
  /// Makes the observers. They are attached to the common modes with the loop's first task, and to a mode with its
  /// first task.
  func makeObservers() {
    // The scheduler invalidates its observers before it goes, so they need not retain it.
    let me = Unmanaged.passUnretained(self)
    let first = LoopObserver(.entry, order: .min) { _ in me.withUnretained { $0.enter() } }
    let last = LoopObserver([.beforeWaiting, .exit], order: .max) { activity in
      me.withUnretained { $0.finish(activity) }
    }
    // Another thread may add them to a mode while the loop runs. If `first` were added first, it could note a run whose
    // end `last` misses. The task observer comes after `first`, because `handle` relies on `enter`.
    attachment.withLock {
      $0.add(last)
      $0.add(first)
    }
    addTaskObserver()
  }

  /// Adds the task observer of the next level of nested calls.
  func addTaskObserver() {
    let (me, level) = (Unmanaged.passUnretained(self), levels.add())
    let observer = LoopObserver([.entry, .beforeWaiting, .afterWaiting, .exit], order: taskOrder) { activity in
      me.withUnretained { if $0.levels.busy == level { $0.handle(activity) } }
    }
    attachment.withLock { $0.add(observer) }
  }

  private func enter() {
    if let mode = currentMode() { runs.enter(mode) }
  }

  private func handle(_ activity: RunLoop.Activity) {
    // This comes first, because the messages that have woken the loop need no further wake-up.
    if activity == .afterWaiting { runs.noteWaking() }
    readMessages()
    if pending.earliestAlarm != nil { letTimePass() }
    if !garbage.isEmpty { callOut(garbage.release) }
    if runs.isNothingAttached, activity != .afterWaiting { return }
    // `enter` has just noted a run that begins.
    if activity != .entry, let mode = currentMode() { runs.noteActivity(in: mode) }
    guard let mode = runs.innermost else { return }
    switch activity {
    case .entry:
      runBatch([.nextLoopBegan, .overdue], in: mode, onlyLeftBehind: true)
    case .beforeWaiting:
      let isIdle = runs.isIdle && !hasTasks(in: [.nextLoopBegan, .currentLoopEnded, .overdue], of: mode)
      runBatch(isIdle ? .idle : [.currentLoopEnded, .overdue], in: mode)
    case .afterWaiting:
      beginTurn(in: mode)
      runBatch([.nextLoopBegan, .overdue], in: mode)
      readMessages()
      detachIfEmpty(mode)
    default:
      runBatch([.currentLoopEnded, .idle, .overdue], in: mode)
    }
  }

  private func beginTurn(in mode: ModeID) {
    guard runs.isTired else { return runs.beginTurn(wokenEarly: false) }
    let secondsLeft = attachment.withLock { _ in modes.keepAlive(mode).secondsLeft }
    // If the timer has not fired yet, something else has woken the loop.
    runs.beginTurn(wokenEarly: secondsLeft.map { $0 > 0 } ?? true)
  }

  private func finish(_ activity: RunLoop.Activity) {
    readMessages()
    guard let mode = currentMode() else { return }
    runs.noteActivity(in: mode)
    if activity == .exit { leave(mode) } else { check(mode) }
  }

  // MARK: Before sleeping

  /// The last check before a sleep. It looks at the pending tasks again and does not rely on earlier wake-ups.
  private func check(_ mode: ModeID) {
    let waking = runs.check(work(in: mode))
    // The clock stands still in advanced passes, but runs on in a nested run that sleeps.
    if clock.isFrozen, waking != .wakeUp, waking != .due, pass?.isInnermost == false { clock.resume() }
    switch waking {
    case .none: if !garbage.isEmpty { wake() }
    // The loop therefore makes one more turn after each batch. SwiftUI needs this turn, too: it looks for changed state
    // before the tasks of a pass run, and a change does not wake the loop.
    case .wakeUp: wake()
    case .due: makeDue(mode, after: 0)
    case .later: sleep(in: mode, for: min(0.1, secondsToAlarm))
    case .atAlarm: if garbage.isEmpty { sleep(in: mode, for: secondsToAlarm) } else { wake() }
    }
  }

  /// Lets the loop sleep for some seconds.
  private func sleep(in mode: ModeID, for seconds: Double) {
    makeDue(mode, after: seconds)
    // A timer that is due and cannot fire, because this run is nested in its callback or before it, holds up later
    // timers on Linux.
    guard hasOverdueTimer(in: mode) else { return }
    // It is checked again after a second at the latest, so that few of these closures are ever pending.
    DispatchQueue.global().asyncAfter(deadline: .now() + min(seconds, 1)) { [attachment] in attachment.wakeLoop() }
  }

  private func hasOverdueTimer(in mode: ModeID) -> Bool {
    loop.map { loop in
      let date = loop.withUnretained { CFRunLoopGetNextTimerFireDate($0, modes.keepAlive(mode).cfMode) }
      return date != 0 && date <= CFAbsoluteTimeGetCurrent()
    } ?? false
  }

  private func work(in mode: ModeID) -> RunStack.Work {
    var work = RunStack.Work()
    guard !runs.isNothingAttached else { return work }
    let isCommon = runs.isAttached(.common) && isCommon(mode)
    work.isAttached = runs.isAttached(mode) || isCommon
    guard work.isAttached else { return work }
    work.canRun = hasTasks(in: [.nextLoopBegan, .currentLoopEnded, .overdue], of: mode)
    work.hasIdleTask = hasTasks(in: .idle, of: mode)
    let isPending = pending.hasTasks(in: mode) || isCommon && pending.hasTasks(in: .common)
    work.onlyWaits = isPending && !work.canRun && !work.hasIdleTask
    return work
  }

  /// The seconds until the earliest alarm.
  private var secondsToAlarm: Double {
    guard let alarm = pending.earliestAlarm else { return .infinity }
    // A microsecond later, because CoreFoundation's dates are coarser than a nanosecond.
    return max(0, Double(alarm - clock.now) / 1e9) + 1e-6
  }

  /// Wakes the current thread's loop.
  func wake() { loop?.withUnretained(CFRunLoopWakeUp) }

  /// Wakes the loop from its next sleep in a mode, even if a nested run uses up its wake-ups.
  func makeDue(_ mode: ModeID, after seconds: Double) {
    let seconds = min(seconds, 1e9)  // CoreFoundation cannot count much further
    attachment.withLock { $0.makeDue(modes.keepAlive(mode), after: seconds) }
    runs.setAttached(mode, true)
  }

  // MARK: Leaving

  private func leave(_ mode: ModeID) {
    let isCommon = runs.mustKnowCommonModes && isCommon(mode)
    pending.noteExit(of: mode)
    if isCommon { pending.noteExit(of: .common) }
    let others = runs.leave(isCommon: isCommon)
    for other in others { makeDue(other, after: 0) }
    if !others.contains(mode) { detachIfEmpty(only: mode) }
    if isCommon, !others.contains(.common) { detachIfEmpty(only: .common) }
  }

  /// Detaches the keep-alives of a mode without pending tasks, so that the package no longer keeps runs of the mode
  /// alive.
  private func detachIfEmpty(_ mode: ModeID) {
    guard !runs.isNothingAttached else { return }
    detachIfEmpty(only: mode)
    if runs.isAttached(.common), isCommon(mode) { detachIfEmpty(only: .common) }
  }

  private func detachIfEmpty(only mode: ModeID) {
    guard runs.isAttached(mode), !pending.hasTasks(in: mode) else { return }
    if attachment.withLock({ $0.detach(modes.keepAlive(mode)) }) { runs.setAttached(mode, false) }
  }

  // MARK: Common modes

  /// User code on this thread has made a mode a common mode.
  ///
  /// CoreFoundation holds its lock of the loop during this call, so this takes no lock of the package.
  func noteNewCommonMode() { runs.noteNewCommonMode() }
}
