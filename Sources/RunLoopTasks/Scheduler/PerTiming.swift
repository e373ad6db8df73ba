/// A value for each timing.
struct PerTiming<Value> {
  private let nextLoopBegan, currentLoopEnded, idle: Value

  init(_ make: (RunLoopTask.Timing) -> Value) {
    (nextLoopBegan, currentLoopEnded, idle) = (make(.nextLoopBegan), make(.currentLoopEnded), make(.idle))
  }

  subscript(timing: RunLoopTask.Timing) -> Value {
    switch timing {
    case .nextLoopBegan: nextLoopBegan
    case .currentLoopEnded: currentLoopEnded
    case .idle: idle
    }
  }
}
