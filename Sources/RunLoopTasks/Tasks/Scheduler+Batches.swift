import Foundation

// Running the tasks that are due at an activity.
extension Scheduler {
  /// Runs the tasks that are due and were in line before now.
  ///
  /// A task stays in line until its turn comes, so a run that is nested in another task of the batch can run it.
  /// Outside the runs that the package knows, `runTasks` may call this.
  ///
  /// - Parameters:
  ///   - lastExit: for `entry`, when a run of the mode was last left.
  ///   - lineEnd: for the last pass of a thread, the position from which on no task runs. It has no budget.
  @inline(__always)
  func runBatch(
    _ lists: ListSet, in mode: ModeID, lastExit: UInt64? = nil, lineEnd: @autoclosure () -> UInt64? = nil
  ) {
    if hasTasks(in: lists, of: mode) { runTasks(in: lists, of: mode, lastExit, lineEnd()) }
  }

  private func runTasks(in all: ListSet, of mode: ModeID, _ lastExit: UInt64?, _ lineEnd: UInt64?) {
    var lists = all
    let isSliced = lists.contains(.idle) && !isDriven && hasTasks(in: .idle, of: mode)
    let new = Batch(
      in: mode, lineEnd: lineEnd ?? pending.takePosition(), lastExit: lastExit,
      budget: lineEnd == nil ? budget.nanoseconds : .max, isSliced: isSliced)
    let (outer, index) = (batch, runs.last?.mode == mode ? runs.count - 1 : nil)
    batch = new
    while let task = removeFirst(in: lists, of: new) {
      guard execute(task, inRunAt: index) else { continue }
      let deadline = task.timing == .idle ? new.idleDeadline : new.deadline
      guard deadline != .max, TaskClock.uptime >= deadline else { continue }
      if let index { runs[index].isCutShort = true }
      if new.deadline < .max { break }
      lists.remove(.idle)
    }
    batch = outer
    pending.settle()  // a task may have scheduled it
  }

  @inline(__always)
  private func removeFirst(in lists: ListSet, of batch: Batch) -> RunLoopTask? {
    let isCommon = pending.hasTasks(in: lists, of: .common) && isCommon(batch.mode)
    return pending.removeFirst(in: lists, of: batch, isCommon: isCommon)
  }

  /// Runs a task that is no longer in line.
  ///
  /// - Returns: whether the task has run. Another thread may have cancelled it.
  @inline(__always)
  private func execute(_ task: RunLoopTask, inRunAt index: Int?) -> Bool {
    let mayRun = begin(task)
    if mayRun {
      let isIdle = task.timing == .idle
      batch?.isInIdleTask = isIdle
      if let index { runs[index].noteTask(isIdle: isIdle) }
      call(task)
    } else {
      _ = task.closure.take()
    }
    garbage.release()
    return mayRun
  }

  /// Begins a task that is no longer in line, unless it was cancelled.
  @inline(__always)
  private func begin(_ task: RunLoopTask) -> Bool {
    let mayRun = task.leavePending(for: .running)
    if !task.extras.isNone { forgetKey(of: task, hasBegun: mayRun) }
    return mayRun
  }

  @inline(__always)
  private func call(_ task: RunLoopTask) {
    tasksRun += 1
    withAutoreleasePool { task.closure.take()?() }
    task.finish()
  }

  /// Runs a pending task now, outside its turn.
  ///
  /// - Returns: whether it was pending.
  func runNow(_ task: RunLoopTask) -> Bool {
    catchUp()
    defer { garbage.release() }
    guard task.whereabouts != .outside else { return false }
    pending.remove(task)
    let mayRun = begin(task)
    endSleepOfEmptyModes(among: task.modes)
    // Another thread may have cancelled it just now.
    if mayRun { call(task) } else { task.releaseContents() }
    return mayRun
  }

  @inline(__always)
  func hasTasks(in lists: ListSet, of mode: ModeID) -> Bool {
    pending.hasTasks(in: lists, of: mode)
      || pending.hasTasks(in: lists, of: .common) && isCommon(mode)
  }
}
