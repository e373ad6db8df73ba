import Foundation

// Running the tasks that are due at an activity.
extension Scheduler {
  /// Runs the tasks that are due and were in line before now.
  ///
  /// A task stays in line until its turn comes, so a run that is nested in another task of the batch can run it.
  func runBatch(_ lists: ListSet, in mode: ModeID) {
    guard hasTasks(in: lists, of: mode) else { return }
    let (batch, run) = (pending.beginBatch(), runs.depth - 1)
    var next = removeFirst(in: lists, of: mode, batch)
    guard next != nil else { return }
    let outerDeadline = deadline
    let deadline = Deadline(for: budget)
    self.deadline = deadline
    callOut {
      while let task = next.take() {
        if self.run(task, in: run), deadline.hasPassed {
          runs.noteCut(in: run)
          break
        }
        next = removeFirst(in: lists, of: mode, batch)
      }
    }
    self.deadline = outerDeadline
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
    let mayRun = task.leavePending(for: .running, onLoopThread: true)
    if !task.extras.isNone { forgetKey(of: task, hasBegun: mayRun) }
    if mayRun {
      runs.noteTask(in: run, isIdle: task.timing == .idle)
      tasksRun += 1
      withAutoreleasePool { task.closure.take()?() }
      task.finish()
    } else {
      _ = task.closure.take()
    }
    if !garbage.isEmpty { garbage.release() }
    return mayRun
  }

  func hasTasks(in lists: ListSet, of mode: ModeID) -> Bool {
    pending.hasTasks(in: lists, of: mode)
      || pending.hasTasks(in: lists, of: .common) && isCommon(mode)
  }

  /// Calls user code, which may run the loop nested.
  func callOut(_ body: () -> Void) {
    if levels.beginCallOut() { addTaskObserver() }
    body()
    levels.endCallOut()
  }
}
