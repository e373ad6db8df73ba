import Foundation

// Running the tasks that are due at an activity.
extension Scheduler {
  /// Runs the tasks that are due and were in line before now.
  ///
  /// A task stays in line until its turn comes, so a run that is nested in another task of the batch can run it.
  func runBatch(_ lists: ListSet, in mode: ModeID) {
    guard hasTasks(in: lists, of: mode) else { return }
    let (number, run) = (pending.beginBatch(), runs.depth - 1)
    var (lists, hasRunIdleTask) = (lists, false)
    var next = removeFirst(in: lists, of: mode, number)
    guard next != nil else { return }
    let outer = batch
    let batch = Batch(in: mode, budget, timesEnded: pending.timesEnded)
    self.batch = batch
    while let task = next.take() {
      if self.run(task, in: run) {
        if batch.isOver {
          runs[run].isCutShort = true
          break
        }
        hasRunIdleTask = hasRunIdleTask || task.timing == .idle
        if hasRunIdleTask, lists.contains(.idle), mustIdleTasksGiveWay(in: batch) {
          runs[run].isCutShort = true
          lists.remove(.idle)
        }
      }
      next = removeFirst(in: lists, of: mode, number)
    }
    self.batch = outer
  }

  @inline(__always)
  private func removeFirst(in lists: ListSet, of mode: ModeID, _ batch: UInt64) -> RunLoopTask? {
    let isCommon = pending.hasTasks(in: lists, of: .common) && isCommon(mode)
    return pending.removeFirst(in: lists, of: mode, isCommon: isCommon, batch: batch)
  }

  /// Runs a task that is no longer in line.
  ///
  /// - Returns: whether the task has run. Another thread may have cancelled it.
  @inline(__always)
  private func run(_ task: RunLoopTask, in run: Int) -> Bool {
    let mayRun = task.leavePending(for: .running)
    if !task.extras.isNone { forgetKey(of: task, hasBegun: mayRun) }
    if mayRun {
      let isIdle = task.timing == .idle
      batch?.isInIdleTask = isIdle
      if isIdle { runs[run].ran = .idleTask } else if runs[run].ran == .nothing { runs[run].ran = .tasks }
      tasksRun += 1
      withAutoreleasePool { task.closure.take()?() }
      task.finish()
    } else {
      _ = task.closure.take()
    }
    garbage.release()
    return mayRun
  }

  func hasTasks(in lists: ListSet, of mode: ModeID) -> Bool {
    pending.hasTasks(in: lists, of: mode)
      || pending.hasTasks(in: lists, of: .common) && isCommon(mode)
  }

  // MARK: Time

  /// Whether idle tasks are left and a timer of the mode is due, or the time of a task has come since the batch began.
  ///
  /// It is asked after each task, because any task may add a timer that is due at once.
  private func mustIdleTasksGiveWay(in batch: Batch) -> Bool {
    guard hasTasks(in: .idle, of: batch.mode) else { return false }
    if pending.earliestAlarm != nil { letTimePass() }
    return pending.timesEnded != batch.timesEnded || nanosecondsToNextTimer(in: batch.mode) <= 0
  }

  /// The nanoseconds until the next timer of a mode that is not the package's own, or a maximum. A due timer may have any
  /// date, as far back as the distant past.
  private func nanosecondsToNextTimer(in mode: ModeID) -> Int64 {
    let seconds = attachment.withLock { _ in self[mode].host.secondsToNextTimer(besides: self[.common].host) }
    return seconds < 1e9 ? Int64(max(0, seconds) * 1e9) : .max
  }

  /// What is left of the budget, in nanoseconds; `nil` if there is no end, or outside tasks.
  var remainingBudget: Int64? {
    guard let batch else { return nil }
    let now = TaskClock.uptime
    guard batch.isInIdleTask else { return batch.end == .max ? nil : max(0, batch.end - now) }
    if pending.timesEnded != batch.timesEnded { return 0 }
    let alarm = pending.earliestAlarm.map { $0 - clock.now } ?? .max
    return max(0, min(batch.idleEnd - now, alarm, nanosecondsToNextTimer(in: batch.mode)))
  }

  /// What is left of a budget that began with the batch; outside tasks, the whole.
  func remainingBudget(of budget: Duration) -> Duration {
    guard let batch else { return budget }
    let left = max(0, budget.wholeNanoseconds - (TaskClock.uptime - batch.beginning))
    return .nanoseconds(min(left, remainingBudget ?? .max))
  }
}
