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
    if interval > .zero, key == nil { call.stop("\(Self.needsKey(for: interval)); pass coalescedBy: as well") }
  }

  static func needsKey(for interval: Duration) -> String {
    "needs a key for atMostEvery: \(interval): the interval is that between tasks with an equal key"
  }

  static let needsModes = "needs at least one mode: a task without a mode could never run; name .default or .common"
}
