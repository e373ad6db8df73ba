import Foundation

/// The activities of a run at which tasks are due.
enum Moment: CaseIterable {
  case entry
  case beforeWaiting
  case afterWaiting
  case exit

  var activity: RunLoop.Activity {
    switch self {
    case .entry: .entry
    case .beforeWaiting: .beforeWaiting
    case .afterWaiting: .afterWaiting
    case .exit: .exit
    }
  }

  /// The activities of all moments.
  static var activities: RunLoop.Activity { allCases.reduce([]) { $0.union($1.activity) } }

  /// - Parameter activity: a single activity. Any other than these four traps.
  @inline(__always)
  init(_ activity: RunLoop.Activity) {
    switch activity {
    case .entry: self = .entry
    case .beforeWaiting: self = .beforeWaiting
    case .afterWaiting: self = .afterWaiting
    case .exit: self = .exit
    default: fatalError("no task is due at \(activity)")
    }
  }
}

extension RunLoopTask.Timing {
  /// Where the tasks of a timing stand in line, and when they are due. A further timing is a further line here and a list of
  /// its own, in `ListID` and `ModeTasks`. One at a moment of its own is a case of `Moment` as well. The compiler finds where
  /// these must be handled, and `MomentTests` what it cannot find.
  var rule: (list: ListID, moment: Moment, fallback: Moment) {
    switch self {
    case .nextLoopBegan: (.nextLoopBegan, .afterWaiting, fallback: .entry)
    case .currentLoopEnded: (.currentLoopEnded, .beforeWaiting, fallback: .exit)
    case .idle: (.idle, .exit, fallback: .beforeWaiting)
    }
  }
}
