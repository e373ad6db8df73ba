import Foundation

/// The options of a task that one call sets.
struct TaskPlan {
  let call: Call
  var timing = RunLoopTask.Timing.nextLoopBegan
  var delay = Duration.zero
  var limit: Duration?
  /// The date of the task clock from which the task is due at any activity, instead of a delay and a limit.
  var date: Int64?
  var order = 0
  var modes: [RunLoop.Mode] = [.default]
  var key: TaskKey?
  /// The interval of the key.
  var interval = Duration.zero
  /// The closure may be released on any thread.
  var isSendable = false

  /// Traps if no task can be made from the plan.
  func check() {
    if modes.isEmpty { call.stop(Self.needsModes) }
    if interval > .zero, key == nil {
      call.stop("needs a key for atMostEvery: \(interval): the interval is that between tasks with an equal key")
    }
  }

  static let needsModes = "needs at least one mode: a task without a mode could never run; pass .default or .common"
}

extension Scheduler {
  /// Schedules a closure, from any thread.
  ///
  /// - Parameter isAwaited: whether async code waits for the task.
  func schedule(_ plan: TaskPlan, isAwaited: Bool = false, _ closure: consuming @escaping () -> Void) -> RunLoopTask {
    plan.check()
    if isCurrent { lookAnew() }  // before the task is made, as in the quick path
    let task = RunLoopTask(
      self, plan.timing, isSendable: plan.isSendable, fileID: plan.call.fileID, line: plan.call.line,
      closure: consume closure)
    if plan.modes.count == 1 { task.mode = id(of: plan.modes[0]) } else { task.setModeIDs(ids(of: plan.modes)) }
    if plan.order != 0 { task.makeOptions().order = plan.order }
    if let end = plan.date ?? (plan.delay > .zero ? date(after: plan.delay) : nil) { task.makeOptions().delayEnd = end }
    if let end = plan.date ?? plan.limit.map(date(after:)) { task.makeOptions().limitEnd = end }
    if let key = plan.key { task.key = key }
    task.isAwaited = isAwaited
    unrunLoop.note(task, at: time)
    if !submit(.task(task)) {
      if isOfMainLoop { reportLostMainLoop() }
      _ = task.leavePending(for: .cancelled)
      task.releaseContents()  // no other code has the task yet
    }
    return task
  }
}
