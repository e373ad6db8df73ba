import Foundation

/// The options of a task that one call sets.
struct TaskPlan {
  /// The function that is called, for messages.
  var function: StaticString = ""
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
  /// Async code waits for the task.
  var isAwaited = false
  /// The closure may be released on any thread.
  var isSendable = false
  /// The file and the line of the call.
  var fileID: StaticString
  var line: UInt

  /// Traps if no task can be made from the plan.
  func check() {
    if modes.isEmpty { fatalError("\(function) \(Self.needsModes)", file: fileID, line: line) }
    if interval > .zero, key == nil {
      fatalError(
        "\(function) needs a key for atMostEvery: \(interval): the interval is that between tasks with an equal key",
        file: fileID, line: line)
    }
  }

  static let needsModes = "needs at least one mode: a task without a mode could never run; pass .default or .common"
}

extension Scheduler {
  /// Schedules a closure, from any thread.
  func schedule(_ plan: TaskPlan, _ closure: consuming @escaping () -> Void) -> RunLoopTask {
    plan.check()
    if isCurrent { lookAnew() }  // before the task is made, as in the quick path
    let task = RunLoopTask(
      self, plan.timing, isSendable: plan.isSendable, fileID: plan.fileID, line: plan.line, closure: consume closure)
    if plan.modes.count == 1 { task.mode = id(of: plan.modes[0]) } else { task.setModeIDs(ids(of: plan.modes)) }
    if plan.order != 0 { task.makeOptions().order = plan.order }
    if let end = plan.date ?? (plan.delay > .zero ? date(after: plan.delay) : nil) { task.makeOptions().delayEnd = end }
    if let end = plan.date ?? plan.limit.map(date(after:)) { task.makeOptions().limitEnd = end }
    if let key = plan.key { task.key = key }
    task.isAwaited = plan.isAwaited
    if !submit(.task(task)) {
      if isOfMainLoop { reportLostMainLoop() }
      _ = task.leavePending(for: .cancelled)
      task.releaseContents()  // no other code has the task yet
    }
    return task
  }
}
