import Foundation

/// What another thread leaves for the loop's own thread to do.
enum Mail: Sendable {
  case schedule(RunLoopTask, RunLoopTask.Timing, [RunLoop.Mode])
  case amend(RunLoopTask, Amendment)
  /// Let go of a task that was cancelled.
  case discard(RunLoopTask)

  /// The modes to hold until this is read.
  var modes: [RunLoop.Mode] {
    switch self {
    case .schedule(_, _, let modes), .amend(_, .modes(let modes)): modes
    case .amend, .discard: []
    }
  }
}

/// A change to a pending task.
enum Amendment: Sendable {
  case timing(RunLoopTask.Timing)
  case modes([RunLoop.Mode])
  case key(any Hashable & Sendable)
}
