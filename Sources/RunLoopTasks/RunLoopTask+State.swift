extension RunLoopTask {
  /// The stages of a task's life.
  public enum State: Sendable {
    /// The task waits for its moment.
    case pending
    /// The closure is being called.
    case running
    /// The closure has returned.
    case finished
    /// The task was cancelled before it began, and never runs.
    case cancelled
  }
}

extension RunLoopTask.State {
  /// The word that stores the state and, in its upper half, the generation of the task.
  func code(in generation: UInt32) -> UInt64 {
    let state: UInt64 =
      switch self {
      case .pending: 0
      case .running: 1
      case .finished: 2
      case .cancelled: 3
      }
    return UInt64(generation) << 32 | state
  }

  init(code: UInt64) {
    switch UInt32(truncatingIfNeeded: code) {
    case 0: self = .pending
    case 1: self = .running
    case 2: self = .finished
    default: self = .cancelled
    }
  }
}
