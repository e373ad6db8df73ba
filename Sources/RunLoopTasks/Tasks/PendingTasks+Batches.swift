// Which tasks run next.
extension PendingTasks {
  /// Notes that a run in a mode is left. The tasks for `.nextLoopBegan` that are in line there are then left behind, in
  /// all of their modes. Each task is moved only once.
  mutating func noteExit(of mode: ModeID) {
    modes[Int(mode.index)].exit = nextPosition
    nextPosition += 1
    guard modes[Int(mode.index)].filled.contains(.fresh) else { return }
    for task in modes[Int(mode.index)].leaveBehindLinkedTasks() { change(task) {} }
  }

  /// A number for a batch of tasks: those that were in line before belong to it.
  mutating func beginBatch() -> UInt64 {
    defer { nextPosition += 1 }
    return nextPosition
  }

  /// Takes out the first task that a batch may run.
  ///
  /// - Parameters:
  ///   - lists: the lists that are due.
  ///   - mode: the mode of the run.
  ///   - isCommon: whether that is one of the common modes.
  ///   - batch: the number of the batch.
  @inline(__always)
  mutating func removeFirst(in lists: ListSet, of mode: ModeID, isCommon: Bool, batch: UInt64) -> RunLoopTask? {
    let own = modes[Int(mode.index)].filled.intersection(lists)
    let common = isCommon ? modes[Int(ModeID.common.index)].filled.intersection(lists) : []
    if own.isEmpty, common.isEmpty { return nil }
    // Usually only one list has tasks, and there is nothing to compare.
    guard own.isEmpty || common.isEmpty, let list = own.union(common).only else {
      return removeFirstOfSeveralLists(in: lists, of: mode, isCommon: isCommon, batch)
    }
    let mode = common.isEmpty ? mode : .common
    guard let task = modes[Int(mode.index)].takeFirst(in: list, inBatch: batch)?.takeRetainedValue() else { return nil }
    task.whereabouts = .outside
    if !task.extras.isNone { removeFromOtherModes(task, list, except: mode) }
    return task
  }

  @inline(never)
  private mutating func removeFirstOfSeveralLists(
    in lists: ListSet, of mode: ModeID, isCommon: Bool, _ batch: UInt64
  ) -> RunLoopTask? {
    var first = modes[Int(mode.index)].first(in: lists, inBatch: batch)
    if isCommon, let common = modes[Int(ModeID.common.index)].first(in: lists, inBatch: batch),
      first.map({ common.rank < $0.rank }) ?? true
    {
      first = common
    }
    if let first { remove(first) }
    return first
  }

  /// Removes a task from the lists of its other modes, after it was taken out of one list.
  @inline(never)
  private mutating func removeFromOtherModes(_ task: RunLoopTask, _ list: List, except mode: ModeID) {
    task.forEachMode { if $0 != mode { modes[Int($0.index)].remove(task, from: list).release() } }
    removeLimitAlarm(of: task)
  }
}
