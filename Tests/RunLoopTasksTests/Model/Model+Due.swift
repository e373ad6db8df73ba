import Foundation

@testable import RunLoopTasks

// What is due.
extension Model {
  /// The table of timings in the article "When a task runs".
  func timings(at activity: RunLoop.Activity, in run: Run) -> Timings {
    switch activity {
    case .entry, .afterWaiting: return ([.nextLoopBegan], true)
    case .exit: return ([.currentLoopEnded, .idle], true)
    default:
      // Whatever comes to be pending now, after all.
      if !run.isObserved { return ([.currentLoopEnded, .idle], true) }
      let inLine = inLine(in: run.mode)
      let onlyIdle = inLine.allSatisfy { $0.wish.timing == .idle }
      guard onlyIdle, !run.hasRunTask else { return ([.currentLoopEnded], true) }
      // The documentation does not say whether an idle task whose limit has passed holds others back.
      return ([.idle], !inLine.contains { $0.overdueSince != nil })
    }
  }

  /// The tasks that are due in the innermost run, in order, and whether they must run (or only may).
  func due(in run: Run, _ batch: Batch) -> [(task: Item, isCertain: Bool)] {
    inLine(in: run.mode).sorted { ($0.wish.order, $0.place) < ($1.wish.order, $1.place) }.compactMap { task in
      guard task.mayRunSince < batch.began else { return nil }
      let isCertain = batch.isObserved && task.mustRunSince < batch.began
      if task.overdueSince != nil { return (task, isCertain) }
      guard batch.timings.timings.contains(task.wish.timing) else { return nil }
      let giveWay = task.wish.timing == .idle ? idleTasksGiveWay(in: run, batch) : .no
      if giveWay == .yes { return nil }
      guard batch.activity == .entry else {
        return (task, isCertain && batch.timings.areCertain && giveWay == .no)
      }
      guard wasLeft(task, lastExit, since: task.asked, evenIfCommonLater: true) else { return nil }
      // An older task in the place of a younger one, or one with new modes, may wait one run longer.
      let since = max(task.born, task.place, task.modesSince)
      return (task, isCertain && wasLeft(task, lastObservedExit, since: since))
    }
  }

  private enum Answer { case no, maybe, yes }

  /// Whether the idle tasks of a batch wait for the next idle moment, because one has run and a timer is due.
  ///
  /// A timer of another mode may be one of the common modes. A timer that fires may look due in a run nested in it.
  private func idleTasksGiveWay(in run: Run, _ batch: Batch) -> Answer {
    guard batch.hasRunIdleTask, batch.isObserved else { return .no }
    if timesEnded != batch.timesEnded || timersDue[run.mode, default: 0] > 0 { return .yes }
    return timersFiring > 0 || timersDue.values.contains { $0 > 0 } ? .maybe : .no
  }

  /// Whether a run in the task's modes was left since a moment.
  private func wasLeft(
    _ task: Item, _ exits: [RunLoop.Mode: Int], since moment: Int, evenIfCommonLater: Bool = false
  ) -> Bool {
    exits.contains { mode, exit in
      guard exit > moment else { return false }
      if task.wish.modes.contains(mode) { return true }
      guard task.wish.modes.contains(.common), let since = commonSince[mode] else { return false }
      return evenIfCommonLater || since < exit
    }
  }

  /// The tasks that the innermost run could bring to their turn instead of letting time pass.
  ///
  /// An idle task that other tasks keep from running in each pass may be left waiting for a short time.
  func tasksThatNeedNoTime(in run: Run) -> [TaskNumber] {
    run.passesWithoutIdleTasks > 1 ? [] : inLine(in: run.mode).map(\.number).sorted()
  }

  /// Whether idle tasks are all that is in line, and others have kept them from running in this pass.
  func hasOnlyBlockedIdleTasks(in run: Run) -> Bool {
    let inLine = inLine(in: run.mode)
    let onlyIdle = inLine.allSatisfy { $0.wish.timing == .idle && $0.overdueSince == nil }
    return !inLine.isEmpty && onlyIdle && run.hasRunTask && !run.hasRunIdleTask
  }
}
