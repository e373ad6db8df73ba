/// The runs of a loop that the package knows. Only the loop's own thread uses them.
struct Runs {
  struct Run {
    let mode: ModeID
    /// Whether the run around this one was past its last check when this one began, so that it is again afterwards.
    let isAroundPastCheck: Bool
    /// Whether the package kept the run around this one alive when this one began. Even if this one leaves no tasks to
    /// it, it must then get as far as to find its mode empty.
    let isAroundKeptAlive: Bool
    /// What has run in this pass.
    var ran = Ran.nothing
    /// Whether the budget or a slice has ended a batch of this pass early.
    var isCutShort = false
    /// The number of successive passes that began although no task could run.
    var fruitlessPasses = 0

    mutating func noteTask(isIdle: Bool) {
      if isIdle { ran = .idleTask } else if ran == .nothing { ran = .tasks }
    }
  }

  enum Ran {
    case nothing
    /// Tasks, but no idle ones.
    case tasks
    /// An idle task, and perhaps others.
    case idleTask
  }

  /// The innermost run is the last.
  private var stack: [Run] = []

  var depth: Int { stack.count }
  var innermost: ModeID? { stack.last?.mode }

  subscript(index: Int) -> Run {
    @inline(__always) _read { yield stack[index] }
    @inline(__always) _modify { yield &stack[index] }
  }

  /// The innermost run. There must be one.
  var current: Run {
    @inline(__always) _read { yield stack[stack.count - 1] }
    @inline(__always) _modify { yield &stack[stack.count - 1] }
  }

  mutating func enter(_ run: Run) { stack.append(run) }

  mutating func leave() -> Run { stack.removeLast() }

  /// Other threads have sent messages, so no pass of any run is fruitless any more.
  mutating func forgetFruitlessPasses() {
    for index in stack.indices { stack[index].fruitlessPasses = 0 }
  }
}
