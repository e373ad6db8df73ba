#if canImport(Testing)
  import Foundation
  import RunLoopTasks
  import Testing

  /// Cancels the tasks that code on the current thread has scheduled there and left pending.
  ///
  /// - Parameters:
  ///   - earlier: the tasks that are left alone.
  ///   - sourceLocation: the place of the issues of the current test, one for each task; `nil` for no issues.
  func cancelLeftovers(except earlier: [RunLoopTask], issuesAt sourceLocation: SourceLocation?) {
    let queue = RunLoop.current.taskQueue
    let ids = Set(earlier.map(ObjectIdentifier.init))
    // Several rounds, because a cancelled closure may schedule when it is released; not for ever, as it may always do
    // so.
    for _ in 1...10 {
      let left = queue.ownTasks.filter { !ids.contains(ObjectIdentifier($0)) }
      if left.isEmpty { return }
      for task in left {
        let listing = task.listing
        guard task.cancel(), let sourceLocation else { continue }
        Issue.record(
          """
          A task was left pending and has been cancelled: \(listing). Let it run, as with advance(by:) or runAllTasks(), cancel it, or say \
          mayLeaveTasks: true
          """, sourceLocation: sourceLocation)
      }
    }
  }
#endif
