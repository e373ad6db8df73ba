// Which tasks run next.
extension PendingTasks {
  /// Notes that a run in a mode is left.
  mutating func noteExit(of mode: ModeID) {
    modes[Int(mode.index)].exit = nextPosition
    nextPosition += 1
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
  ///   - onlyLeftBehind: whether only overdue tasks and tasks that an earlier run has left behind may run.
  @inline(__always)
  mutating func removeFirst(
    in lists: ListSet, of mode: ModeID, isCommon: Bool, batch: UInt64, onlyLeftBehind: Bool
  ) -> RunLoopTask? {
    let own = modes[Int(mode.index)].filled.intersection(lists)
    let common = isCommon ? modes[Int(ModeID.common.index)].filled.intersection(lists) : []
    if own.isEmpty, common.isEmpty { return nil }
    // Usually only one list has tasks, and there is nothing to compare.
    guard !onlyLeftBehind, own.isEmpty || common.isEmpty, let list = own.union(common).only else {
      return removeFirst(in: lists, of: isCommon ? [mode, .common] : [mode], batch, onlyLeftBehind)
    }
    let index = Int((common.isEmpty ? mode : .common).index)
    guard let task = modes[index].takeFirst(in: list, inBatch: batch)?.takeRetainedValue() else { return nil }
    noteTaken(task)
    return task
  }

  @inline(never)
  private mutating func removeFirst(
    in lists: ListSet, of candidates: [ModeID], _ batch: UInt64, _ onlyLeftBehind: Bool
  ) -> RunLoopTask? {
    var first: (rank: Rank, list: List)?
    var mode = 0
    let exits = onlyLeftBehind ? modes.map(\.exit) : []
    // A run that was nested in this batch may have left tasks behind that were refused before.
    let search = max(batch, exits.max() ?? 0)
    for index in candidates.map({ Int($0.index) }) where !modes[index].filled.isDisjoint(with: lists) {
      let found = modes[index].first(in: lists, inBatch: search) { task in
        guard task.readyPosition < batch else { return false }
        return !onlyLeftBehind || task.isOverdue || task.modes.contains { exits[Int($0.index)] > task.bornPosition }
      }
      if let found, first.map({ found.rank < $0.rank }) ?? true { (first, mode) = (found, index) }
    }
    guard let first else { return nil }
    let task = modes[mode].take(first).takeRetainedValue()
    noteTaken(task)
    return task
  }

  /// Removes a task from the lists of its other modes, after it was taken out of one list.
  @inline(__always)
  private mutating func noteTaken(_ task: RunLoopTask) {
    task.standing = .out
    if !task.extras.isNone { noteTakenWithOptions(task) }
  }

  @inline(never)
  private mutating func noteTakenWithOptions(_ task: RunLoopTask) {
    if task.mode == .several { for mode in task.modes { modes[Int(mode.index)].removeIfPresent(task) } }
    removeLimitAlarm(of: task)
  }
}
