extension RunLoopTaskQueue: CustomDebugStringConvertible {
  /// The pending tasks, one on each line, with timing, modes, time, order, key and the place that scheduled the task.
  ///
  /// ```text
  /// RunLoopTaskQueue, 2 pending
  ///   currentLoopEnded in default, scheduled at App/ListView.swift:42
  ///   idle in common, coalesced by "save", scheduled at App/Document.swift:7
  /// ```
  ///
  /// On the loop's own thread, this lists the tasks in line in their order, then the delayed tasks, and then those that
  /// other threads have sent and the loop has not read. On other threads, it contains only the number of tasks.
  ///
  /// It changes nothing, so you can print it anywhere: it calls none of your code and releases nothing.
  public var debugDescription: String {
    guard scheduler.isCurrent else { return "RunLoopTaskQueue, \(count) pending" }
    let lines = scheduler.store.pending.all.filter(\.isStillPending).map(\.listing)
    let unread = scheduler.withUnread { $0.compactMap(\.content.newTask).filter(\.isStillPending).map(\.listing) }
    return (["RunLoopTaskQueue, \(lines.count + unread.count) pending"] + lines + unread).joined(separator: "\n  ")
  }
}
