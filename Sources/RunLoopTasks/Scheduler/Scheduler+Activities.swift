import CoreFoundation
import Foundation

/// Where tasks run among the observers of an activity.
///
/// After an app's own observers, which mostly have order 0, so that what they schedule for the end of the pass still runs
/// in it; before UIKit prepares (1,999,000) and Core Animation commits (2,000,000), so that it gets into the same frame.
private let taskOrder = 1_998_000

// What the loop calls. `hear` serves the activities; `close` has the last word before the loop sleeps or leaves its run,
// after all other observers.
extension Scheduler {
  /// Makes the observers. They are added to a mode when tasks are pending in it.
  func listen() {
    for activity: RunLoop.Activity in [.entry, .beforeWaiting, .afterWaiting, .exit] {
      addHearer(of: activity, isResting: activity == .beforeWaiting)
    }
    let last = LoopObserver([.beforeWaiting, .exit], order: .max) { [unowned self] in close($0) }
    attachment.withLock { $0.add(last, isResting: false) }
  }

  private func addHearer(of activity: RunLoop.Activity, isResting: Bool = false, isSpare: Bool = false) {
    let hearer = Hearer(activity, isSpare: isSpare)
    let observer = LoopObserver(activity, order: taskOrder) { [unowned self, unowned hearer] _ in hear(hearer) }
    hearer.observer = observer
    hearers.append(hearer)
    attachment.withLock { $0.add(observer, isResting: isResting) }
  }

  private func hear(_ hearer: Hearer) {
    guard hearer === idleHearer(of: hearer.activity) else { return }
    isPastLastCheck = false
    readMail()
    guard let mode = currentMode() else { return }
    switch hearer.activity {
    case .entry:
      enter(Run(mode: mode))
      runBatch(.atEntry, hearer: hearer)
    case .beforeWaiting:
      // The resting observer also hears runs of modes without tasks, of which nothing else is observed.
      guard hasPending(in: mode) else { return }
      enterIfUnobserved(mode)
      if hasPending(.currentLoopEnded, in: mode) {
        runBatch(.beforeWaiting, hearer: hearer)
      } else if !runs[runs.count - 1].hasRunTask, !hasPending(.nextLoopBegan, in: mode) {
        runBatch(.beforeIdleWaiting, hearer: hearer)
      }
    case .afterWaiting:
      enterIfUnobserved(mode)
      runs[runs.count - 1].hasRunTask = false
      runBatch(.afterWaiting, hearer: hearer)
      // The loop looks whether the mode is empty at the end of this iteration.
      runs[runs.count - 1].mayBeEmpty = false
    default:
      enterIfUnobserved(mode)
      runBatch(.atExit, hearer: hearer)
    }
  }

  private func close(_ activity: RunLoop.Activity) {
    readMail()
    guard let mode = currentMode() else { return }
    enterIfUnobserved(mode)
    let run = runs.count - 1
    if activity == .exit {
      mode.leftAt = nextOrder
      if hasPending(.nextLoopBegan, in: mode), mode.isKnownToBeCommon { common.entries[0].leftAt = nextOrder }
      runs.removeLast()
      return
    }
    isPastLastCheck = true
    if hasPending(in: mode) || runs[run].mayBeEmpty {
      // Even if it was woken before: a nested run may have consumed that.
      attachment.withLock { $0.wake() }
      runs[run].mayBeEmpty = false
    } else if !runs[run].hasRunTask, runs.count == 1, hearers.allSatisfy({ !$0.isBusy }) {
      rest(in: mode)
      isPastLastCheck = false  // whoever ends the rest wakes the loop
    }
  }

  /// The hearer that serves the next such activity.
  private func idleHearer(of activity: RunLoop.Activity) -> Hearer? {
    hearers.first { $0.activity == activity && !$0.isBusy }
  }

  /// Makes sure that somebody hears the entry of a run that a task may start.
  func prepareForNestedRun(startedBy hearer: Hearer) {
    guard hearer.activity == .entry, hearers.allSatisfy({ $0.activity != .entry || $0.isBusy || $0 === hearer }) else {
      return
    }
    addHearer(of: .entry, isSpare: true)
  }

  /// Goes back to paying next to nothing, after a pass without tasks.
  private func rest(in mode: ModeEntry) {
    runs = []
    let spares = hearers.filter(\.isSpare).compactMap(\.observer)
    hearers.removeAll(where: \.isSpare)
    let anchors = [mode.anchor, common.entries[0].anchor]
    attachment.withLock { attachment in
      spares.forEach { attachment.remove($0) }
      anchors.forEach { attachment.rest($0) }
    }
  }

  private func enter(_ run: Run) {
    runs.append(run)
    for activity: RunLoop.Activity in [.beforeWaiting, .afterWaiting, .exit] where idleHearer(of: activity) == nil {
      addHearer(of: activity, isSpare: true)
    }
  }

  /// Learns of a run that was under way when its mode got its first task.
  private func enterIfUnobserved(_ mode: ModeEntry) {
    if runs.last?.mode !== mode { enter(Run(mode: mode, mayBeEmpty: true)) }
  }

  private func currentMode() -> ModeEntry? {
    guard let name = copyCurrentModeName(CFRunLoopGetCurrent()) else { return nil }
    if let lastMode, lastMode.name === name { return lastMode.entry }
    guard let mode = RunLoop.current.currentMode else { return nil }
    let entry = modeSet(mode).entries[0]
    lastMode = (name, entry)
    return entry
  }
}
