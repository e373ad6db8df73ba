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
  /// The bits of an atomic variable that store the state.
  static let codes: UInt64 = 3

  var code: UInt64 {
    switch self {
    case .pending: 0
    case .running: 1
    case .finished: 2
    case .cancelled: 3
    }
  }

  init(code: UInt64) {
    switch code {
    case 0: self = .pending
    case 1: self = .running
    case 2: self = .finished
    default: self = .cancelled
    }
  }
}
