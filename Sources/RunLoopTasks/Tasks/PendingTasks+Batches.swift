// Which tasks run next.
extension PendingTasks {
  /// Notes that a run of a mode is left. The tasks for `.nextLoopBegan` that are in line there are due at the `entry`
  /// of the next one, too.
  mutating func noteExit(of mode: ModeID) { modes[Int(mode.index)].exit = takePosition() }

  func lastExit(of mode: ModeID) -> UInt64 { modes[Int(mode.index)].exit }

  /// Takes out the first task that a batch may run.
  ///
  /// - Parameters:
  ///   - lists: the lists that are due.
  ///   - isCommon: whether the mode of the batch is one of the common modes.
  @inline(__always)
  mutating func removeFirst(in lists: ListSet, of batch: Batch, isCommon: Bool) -> RunLoopTask? {
    let own = modes[Int(batch.mode.index)].filled.intersection(lists)
    let common = isCommon ? modes[Int(ModeID.common.index)].filled.intersection(lists) : []
    if own.isEmpty, common.isEmpty { return nil }
    // Usually only one list has tasks, and there is nothing to compare.
    guard own.isEmpty || common.isEmpty, let list = own.union(common).only else {
      return removeFirstOfSeveralLists(in: lists, of: batch, isCommon: isCommon)
    }
    let mode = common.isEmpty ? batch.mode : .common
    guard let task = modes[Int(mode.index)].takeFirst(in: list, of: batch)?.takeRetainedValue() else { return nil }
    task.whereabouts = .outside
    if !task.isSimple { removeFromOtherModes(task, list, except: mode) }
    return task
  }

  @inline(never)
  private mutating func removeFirstOfSeveralLists(in lists: ListSet, of batch: Batch, isCommon: Bool) -> RunLoopTask? {
    var first = modes[Int(batch.mode.index)].first(in: lists, of: batch)
    if isCommon, let common = modes[Int(ModeID.common.index)].first(in: lists, of: batch),
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
