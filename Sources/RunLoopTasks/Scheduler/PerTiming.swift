/// A value for each timing.
struct PerTiming<Value> {
  var nextLoopBegan: Value
  var currentLoopEnded: Value
  var idle: Value

  init(_ make: (RunLoopTask.Timing) -> Value) {
    (nextLoopBegan, currentLoopEnded, idle) = (make(.nextLoopBegan), make(.currentLoopEnded), make(.idle))
  }

  subscript(timing: RunLoopTask.Timing) -> Value {
    get {
      switch timing {
      case .nextLoopBegan: nextLoopBegan
      case .currentLoopEnded: currentLoopEnded
      case .idle: idle
      }
    }
    _modify {
      switch timing {
      case .nextLoopBegan: yield &nextLoopBegan
      case .currentLoopEnded: yield &currentLoopEnded
      case .idle: yield &idle
      }
    }
  }
}
