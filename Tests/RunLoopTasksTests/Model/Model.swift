import Foundation

@testable import RunLoopTasks

/// Section 3 of the contract, with what sections 2, 4 and 6 add to it, as a reader of traces.
///
/// It does not know how the loop gets from one activity to the next; that it is told. It knows what is due there.
struct Model {
  struct Item {
    let number: TaskNumber
    var wish: Wish
    var state = RunLoopTask.State.pending
    var wasCancelledAlone = false
    /// Not while another thread's call has not been heard of yet.
    var isInLine = false
    /// When it was asked for, and when that was noticed.
    var asked = 0
    var born = 0
    /// Its place in line.
    var place = 0
    /// Since when a batch may have it, and since when it must.
    var mayRunSince = 0
    var mustRunSince = 0
    var modesSince = 0
  }

  /// A run under way.
  struct Run {
    let mode: RunLoop.Mode
    /// Whether a task has run in this pass.
    var hasRunTask = false
    /// Whether tasks were pending in its mode when the activity began. If not, the package need not hear of that activity:
    /// what is scheduled at it may run at once or wait.
    var isHeard = false
    var batch: Batch?
  }

  /// The tasks' turn at an activity.
  struct Batch {
    let activity: RunLoop.Activity
    let began: Int
    let timings: [RunLoopTask.Timing]
    let isHeard: Bool
    var budgets: [Allowance]
    var count = 0

    var mayEnd: Bool { count > 0 && budgets.contains(.oneTask) }
    var mustEnd: Bool { count > 0 && budgets.allSatisfy { $0 == .oneTask } }
  }

  /// A call that runs the loop.
  struct Call {
    let kind: RunKind
    let mode: RunLoop.Mode
    var activities: [RunLoop.Activity] = []
    var isStopped = false
    var hasRunTask = false
  }

  /// Moments are numbered.
  var now = 0
  var tasks: [TaskNumber: Item] = [:]
  /// What other threads have asked for. The loop's own thread must notice it before tasks get their turn and when it schedules
  /// or amends something itself, but may do so at any time before: then the trace says so.
  var mail: [(event: Event, asked: Int)] = []
  var runs: [Run] = []
  var calls: [Call] = []
  var budget = Allowance.unlimited
  var commonSince: [RunLoop.Mode: Int] = [.default: 0]
  /// When a run of the mode was last left; and when the package had to hear of that.
  var lastExit: [RunLoop.Mode: Int] = [:]
  var lastHeardExit: [RunLoop.Mode: Int] = [:]

  // MARK: What is due

  func pending(in mode: RunLoop.Mode) -> [Item] {
    tasks.values.filter { task in
      let isCommon = task.wish.modes.contains(.common) && commonSince[mode] != nil
      return task.state == .pending && (isCommon || task.wish.modes.contains(mode))
    }
  }

  /// The table of section 3.
  func timings(at activity: RunLoop.Activity, in run: Run) -> [RunLoopTask.Timing] {
    switch activity {
    case .entry, .afterWaiting: return [.nextLoopBegan]
    case .exit: return [.currentLoopEnded, .idle]
    default:
      // Whatever comes to be pending now, after all.
      if !run.isHeard { return [.currentLoopEnded, .idle] }
      let onlyIdle = pending(in: run.mode).allSatisfy { $0.wish.timing == .idle }
      return onlyIdle && !run.hasRunTask ? [.idle] : [.currentLoopEnded]
    }
  }

  /// The tasks that are due in the innermost run, in order, and whether they must run (or only may).
  func due(in run: Run, _ batch: Batch) -> [(task: Item, isCertain: Bool)] {
    pending(in: run.mode).sorted { $0.place < $1.place }.compactMap { task in
      guard task.isInLine, task.mayRunSince < batch.began, batch.timings.contains(task.wish.timing) else { return nil }
      let isCertain = batch.isHeard && task.mustRunSince < batch.began
      guard batch.activity == .entry else { return (task, isCertain) }
      guard wasLeft(task, lastExit, since: task.asked, evenIfCommonLater: true) else { return nil }
      // An older task in the place of a younger one, or one with new modes, may wait one run longer.
      let since = max(task.born, task.place, task.modesSince)
      return (task, isCertain && wasLeft(task, lastHeardExit, since: since))
    }
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
}
