import Foundation

@testable import RunLoopTasks

// What is due.
extension Model {
  /// The table of timings in the article "When a task runs".
  func timings(at activity: RunLoop.Activity, in run: Run) -> Timings {
    switch activity {
    case .entry, .afterWaiting: return ([.nextLoopBegan], true)
    case .exit: return (run.lineEnd == nil ? [.currentLoopEnded, .idle] : RunLoopTask.Timing.allCases, true)
    default:
      // Whatever comes to be pending now, after all.
      if !run.isObserved { return ([.currentLoopEnded, .idle], true) }
      let inLine = inLine(in: run.mode)
      let onlyIdle = inLine.allSatisfy { $0.wish.timing == .idle }
      guard onlyIdle, !run.hasRunTask else { return ([.currentLoopEnded], true) }
      // The documentation does not say whether an idle task whose limit has passed holds others back, nor whether a task
      // that did not run in its turn does.
      return ([.idle], !run.hasRunTaskNow && !inLine.contains { $0.overdueSince != nil })
    }
  }

  /// The tasks that are due in the innermost run, in order, and whether they must run (or only may).
  func due(in run: Run, _ batch: Batch) -> [(task: Item, isCertain: Bool)] {
    inLine(in: run.mode).sorted { ($0.wish.order, $0.place) < ($1.wish.order, $1.place) }.compactMap { task in
      guard task.mayRunSince < batch.began else { return nil }
      let isCertain = batch.isObserved && task.mustRunSince < batch.began
      if task.overdueSince != nil { return (task, isCertain) }
      guard batch.timings.timings.contains(task.wish.timing) else { return nil }
      guard batch.activity == .entry else {
        // Idle tasks have a slice of the time, unless the pass is driven.
        let isDriven = run.lineEnd != nil || calls.last?.kind.isDriven == true
        let mayGiveWay = task.wish.timing == .idle && batch.hasRunIdleTask && !isDriven
        return (task, isCertain && batch.timings.areCertain && !mayGiveWay)
      }
      guard wasLeft(task, since: task.asked, batch) else { return nil }
      // An older task in the place of a younger one, or one with new modes, may wait one run longer.
      let since = max(task.born, task.place, task.modesSince, task.mustRunSince)
      return (
        task, isCertain && batch.lastObservedExit > since && isCertainlyServed(task, in: run.mode, batch)
      )
    }
  }

  /// Whether a run in one of the task's modes was left between a moment and the batch.
  private func wasLeft(_ task: Item, since moment: Int, _ batch: Batch) -> Bool {
    batch.lastExit.contains { mode, exit in
      let isCommon = task.wish.modes.contains(.common) && commonSince[mode] != nil
      return exit > moment && (task.wish.modes.contains(mode) || isCommon)
    }
  }

  /// Whether a task belonged to a mode when a run of that was last left.
  private func isCertainlyServed(_ task: Item, in mode: RunLoop.Mode, _ batch: Batch) -> Bool {
    if task.wish.modes.contains(mode) { return true }
    return commonSince[mode].map { $0 < batch.lastExit[mode, default: 0] } ?? false
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
    return !inLine.isEmpty && onlyIdle && (run.hasRunTask || run.hasRunTaskNow) && !run.hasRunIdleTask
  }
}
