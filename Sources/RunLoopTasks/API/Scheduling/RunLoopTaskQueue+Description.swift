extension RunLoopTaskQueue: CustomDebugStringConvertible {
  /// The pending tasks, one on each line, with timing, modes, time, order, key and the place that scheduled the task.
  ///
  /// ```text
  /// RunLoopTaskQueue, 2 pending
  ///   currentLoopEnded in default, scheduled at App/ListView.swift:42
  ///   idle in common, coalesced by "save", scheduled at App/Document.swift:7
  /// ```
  ///
  /// On the loop's own thread, this lists the tasks in line in their order, and then the delayed tasks. On other threads,
  /// it contains only the number of tasks.
  public var debugDescription: String {
    guard scheduler.isCurrent else { return "RunLoopTaskQueue, \(count) pending" }
    scheduler.lookAnew()
    let tasks = scheduler.pending.all.filter(\.isPending)
    return (["RunLoopTaskQueue, \(tasks.count) pending"] + tasks.map(\.listing)).joined(separator: "\n  ")
  }
}
