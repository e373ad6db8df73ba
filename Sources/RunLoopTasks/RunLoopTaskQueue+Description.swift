extension RunLoopTaskQueue: CustomDebugStringConvertible {
  private static let longestList = 100

  /// What is pending, a line a task: its timing, modes, time, order and key, and where it was scheduled.
  ///
  /// ```text
  /// RunLoopTaskQueue, 2 pending
  ///   currentLoopEnded in default, scheduled at App/ListView.swift:42
  ///   idle in common, coalesced by "save", scheduled at App/Document.swift:7
  /// ```
  ///
  /// On the loop's own thread the first hundred tasks are listed, those in line in their order and then those that wait for their time. Other
  /// threads get only the number of tasks.
  public var debugDescription: String {
    guard scheduler.isCurrent else {
      let hasEnded = scheduler.attachment.withLock { $0.loop == nil }
      return hasEnded ? "RunLoopTaskQueue of a loop that has ended" : "RunLoopTaskQueue, \(count) pending"
    }
    scheduler.readMessages()
    scheduler.garbage.release()
    let tasks = scheduler.pending.allInOrder.filter { $0.state == .pending }
    let more = tasks.count > Self.longestList ? ["  and \(tasks.count - Self.longestList) more"] : []
    let lines = tasks.prefix(Self.longestList).map { "  \($0.listing)" }
    return (["RunLoopTaskQueue, \(tasks.count) pending"] + lines + more).joined(separator: "\n")
  }
}
