/// A change to a pending task. Dates are those of the task clock.
enum Amendment: Sendable {
  case timing(RunLoopTask.Timing)
  case modes([ModeID])
  case delay(until: Int64)
  case limit(Int64)
  case order(Int)
  case key(TaskKey)

  var isDelay: Bool { if case .delay = self { true } else { false } }
}
