import Foundation

// Running the tasks that are due at an activity.
extension Scheduler {
  /// Runs the tasks that are due and were in line before now.
  ///
  /// A task stays in line until its turn comes, so a run that is nested in another task of the batch can run it.
  /// Outside the runs that the package knows, `runTasks` may call this.
  ///
  /// - Parameter lastExit: for `entry`, when a run of the mode was last left.
  @inline(__always)
  func runBatch(_ lists: ListSet, in mode: ModeID, lastExit: UInt64? = nil) {
    guard hasTasks(in: lists, of: mode) else { return }
    let isSliced = lists.contains(.idle) && areIdleTasksSliced && hasTasks(in: .idle, of: mode)
    run(
      Batch(
        of: lists, in: mode, at: pending.takePosition(), lastExit: lastExit, budget: budget.nanoseconds,
        isSliced: isSliced))
  }

  /// Runs all tasks in line, whatever their timing, without a budget.
  func runAllTasks(in mode: ModeID) {
    run(Batch(of: .all, in: mode, at: pending.takePosition(), lastExit: nil, budget: .max, isSliced: false))
  }

  private func run(_ new: Batch) {
    let (outer, indexOfRun) = (batch, runs.last?.mode == new.mode ? runs.count - 1 : nil)
    var lists = new.lists
    batch = new
    while let task = removeFirst(in: lists, of: new) {
      guard execute(task, inRunAt: indexOfRun), new.idleDeadline != .max else { continue }
      let now = TaskClock.uptime
      guard now >= new.idleDeadline else { continue }
      if hasTasks(in: new.lists, of: new.mode) { yieldToOthers(in: new.mode) }
      if now >= new.deadline { break }
      if task.timing == .idle { lists.remove(.idle) }  // one runs even if other tasks take long in each pass
    }
    batch = outer
  }

  // MARK: Giving way

  // After a slice that was cut short the loop serves everything else that is ready, however it is driven:
  //
  //     one long run        slice ─ last look: call back ─ sleep ─ timers, call back ─ main queue, sources ─ slice
  //     runs that a source  slice ┐ run: a source, a port ┐ run: a source, a port, slice ┐
  //     ends at once         exit ┘                  exit ┘                         exit ┘
  //
  // In the second case nothing may be armed: a timer that is due would come before the main queue each time.

  private var areIdleTasksSliced: Bool { drivenPass?.isSliced ?? true }

  /// A batch is cut short. A nested run does not give way, because no timer may call it back: a timer that has woken an
  /// outer run, and has not fired yet, holds up all others.
  private func yieldToOthers(in mode: ModeID) {
    if runs.count == 1, areIdleTasksSliced, !isYielding(in: mode) { yielding = Yielding(mode: mode) }
  }

  /// The idle tasks, if they are due.
  @inline(__always)
  func idleTasks(in mode: ModeID) -> ListSet { isYielding(in: mode) && areIdleTasksSliced ? [] : .idle }

  @inline(__always)
  func isYielding(in mode: ModeID) -> Bool { yielding?.mode == mode }

  func noteExitWhileYielding(in mode: ModeID) {
    guard isYielding(in: mode) else { return }
    yielding?.exits -= 1
    if yielding?.exits == 0 { endYielding() }
  }

  /// Lets the loop call back once it has served everything else.
  ///
  /// - Returns: the date until which to wait for that. No call back may come if the package was first used in a run that
  ///   is nested in another one.
  func waitForCallBack(in mode: ModeID) -> Int64 {
    loop?.callBack(in: self[mode].name) { [unowned self] in yielding?.end = clock.now }
    let end = min(yielding?.end ?? .max, clock.now.addingSaturated(Self.backOff))
    yielding?.end = end
    return end
  }

  @inline(never)
  func endYielding() {
    yielding = nil
    loop?.cancelCallBack()
    loop?.setAlarm(at: .max, self)
    noteThatModesMayBeEmpty()  // the timer of the call back may have kept it alive
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
    releaseGarbage()
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
    defer { releaseGarbage() }
    guard task.whereabouts != .outside else { return false }
    pending.remove(task)
    wakeHost()
    let mayRun = begin(task)
    // Another thread may have cancelled it just now.
    if mayRun { call(task) } else { task.releaseContents() }
    return mayRun
  }

  /// Releases what is no longer needed. That may run any code, and so schedule a task, which is settled.
  @inline(__always)
  func releaseGarbage() {
    garbage.release()
    pending.settle()
  }

  @inline(__always)
  func hasTasks(in lists: ListSet, of mode: ModeID) -> Bool {
    pending.hasTasks(in: lists, of: mode)
      || pending.hasTasks(in: lists, of: .common) && isCommon(mode)
  }
}
