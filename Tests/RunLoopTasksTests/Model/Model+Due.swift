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
      let inLine = inLine(in: run.mode)
      let onlyIdle = inLine.allSatisfy { $0.wish.timing == .idle }
      guard onlyIdle, !run.hasRunTask else { return ([.currentLoopEnded], true) }
      // The documentation does not say whether an idle task whose limit has passed holds others back, nor whether a
      // task that did not run in its turn does.
      return ([.idle], !run.hasRunTaskNow && !inLine.contains(where: \.isOverdue))
    }
  }

  /// The tasks that are due in the innermost run, in order, and whether they must run (or only may).
  func due(in run: Run, _ batch: Batch) -> [(task: Item, isCertain: Bool)] {
    if batch.hasFlushed { return [] }
    return inLine(in: run.mode).sorted { ($0.wish.order, $0.place) < ($1.wish.order, $1.place) }.compactMap { task in
      guard task.place < batch.began else { return nil }
      let isCertain = task.changed < batch.began
      if task.isOverdue { return (task, isCertain) }
      guard batch.timings.timings.contains(task.wish.timing) else { return nil }
      guard batch.isAtEntry else {
        // Idle tasks have a slice of the time, and give way to all else after it.
        let mayGiveWay = batch.count > 0 || isWaiting
        let isKept = task.wish.timing != .idle || !batch.hasSlice || !mayGiveWay
        return (task, isCertain && batch.timings.areCertain && isKept)
      }
      guard wasLeft(task, batch) else { return nil }
      let since = max(task.place, task.modesSince, task.changed)
      let isLate = batch.lastExit[run.mode, default: 0] > since
      return (task, isCertain && isLate && isCertainlyServed(task, in: run.mode, batch))
    }
  }

  /// Whether a run in one of the task's modes was left between the moment at which it got its place and the batch.
  private func wasLeft(_ task: Item, _ batch: Batch) -> Bool {
    batch.lastExit.contains { mode, exit in
      let isCommon = task.wish.modes.contains(.common) && commonSince[mode] != nil
      return exit > task.place && (task.wish.modes.contains(mode) || isCommon)
    }
  }

  /// Whether a task belonged to a mode when a run of that was last left.
  private func isCertainlyServed(_ task: Item, in mode: RunLoop.Mode, _ batch: Batch) -> Bool {
    if task.wish.modes.contains(mode) { return true }
    return commonSince[mode].map { $0 < batch.lastExit[mode, default: 0] } ?? false
  }
}
