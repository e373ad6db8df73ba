import Foundation

// Running the tasks that are due at an activity.
extension Scheduler {
  /// Runs the tasks that are due and have a place before now.
  ///
  /// A task stays in line until its turn comes, so a run that is nested in another task of the batch can run it.
  ///
  /// - Parameters:
  ///   - lastExit: for `entry`, when a run of the mode was last left.
  ///   - isDrain: whether they run without a budget and without slices.
  func runBatch(_ lists: ListSet, in mode: ModeID, lastExit: UInt64? = nil, isDrain: Bool = false) {
    guard hasTasksInLine(lists, in: mode) else { return }
    // Even if no idle task is in line: one of the batch may become idle in it.
    let isSliced = lists.contains(.idle) && !isDrain && runs.areIdleTasksSliced
    run(
      Batch(
        of: lists, in: mode, at: store.takePosition(), lastExit: lastExit,
        budget: isDrain ? .max : budget.load(ordering: .relaxed), isSliced: isSliced))
  }

  private func run(_ new: Batch) {
    let outer = runs.beginBatch(new)
    var (lists, hasRunTasks) = (new.lists, false)
    while let task = nextTask(in: lists, of: new) {
      guard execute(task) else { continue }
      hasRunTasks = true
      guard new.deadline < .max, new.hasBudget || task.timing == .idle, TaskClock.uptime >= new.deadline else {
        continue
      }
      // Even if the batch itself has scheduled all that is in line: the next batch would run it before the timers.
      if hasTasksInLine(new.hasBudget ? new.lists : .idle, in: new.mode) { runs.letIdleTasksWait() }
      if new.hasBudget { break }
      lists.remove(.idle)  // behind one idle task at least, even if other tasks have used up the slice
    }
    runs.endBatch(new, in: outer, hasRunTasks: hasRunTasks)
  }

  @inline(__always)
  private func nextTask(in lists: ListSet, of batch: Batch) -> RunLoopTask? {
    if inbox.hasUnread { catchUpAndRelease() }  // they may cancel all that is left
    let isCommon = !store.pending.filledLists(of: .common).isDisjoint(with: lists)
    if isCommon { noteIfCommon(batch.mode) }  // a task of the batch may have made the mode common
    return store.removeFirst(in: lists, of: batch, isCommon: isCommon && self.isCommon(batch.mode))
  }

  /// Runs a task that is no longer in line.
  ///
  /// - Returns: whether the task has run. Another thread may have cancelled it.
  @inline(__always)
  private func execute(_ task: RunLoopTask) -> Bool {
    let mayRun = store.begin(task, at: clock.now)
    if mayRun {
      runs.noteTask(task.timing)
      call(task)
    }
    releaseGarbage()
    return mayRun
  }

  @inline(__always)
  private func call(_ task: RunLoopTask) {
    runs.countTask()
    if isHeard { callAloud(task) } else { task.callClosure() }
    if !task.extras.isNone { task.releaseContents() }
    task.finish()
  }

  /// Runs a pending task now, outside its turn and outside any batch.
  ///
  /// - Returns: whether it was pending.
  func runNow(_ task: RunLoopTask) -> Bool {
    defer { releaseGarbage() }
    guard store.remove(task), store.begin(task, at: clock.now) else { return false }
    let outer = runs.suspendBatch()
    call(task)
    runs.resumeBatch(outer)
    return true
  }

  /// Whether a source may deliver a batch, which it is then about to do: see `Runs.beginDelivery`. On any thread.
  func mayDeliver(_ source: some SourceOwner) -> Bool { isCurrent && runs.beginDelivery(of: source) }

  func hasTasksInLine(_ lists: ListSet, in mode: ModeID) -> Bool { !listsInLine(in: mode).isDisjoint(with: lists) }

  /// The lists with tasks in line that belong to a mode.
  func listsInLine(in mode: ModeID) -> ListSet {
    let common = store.pending.filledLists(of: .common)
    return store.pending.filledLists(of: mode).union(!common.isEmpty && isCommon(mode) ? common : [])
  }
}

// What the calls that drive a loop by hand do. Without a loop they do nothing.
extension Scheduler {
  /// - Returns: whether a task ran.
  @discardableResult
  func runPass(in mode: RunLoop.Mode, as pass: DrivenPass = .unsliced, watch: PassWatch? = nil) -> Bool {
    guard hasLoop else { return false }
    let tasksRunBefore = runs.tasksRun
    let mode = spelling(of: mode)
    runs.expect(pass)
    loop?.runPass(in: mode, watch: watch)
    assert(runs.passToBegin == nil, "no run has taken the pass")
    return runs.tasksRun > tasksRunBefore
  }

  /// Runs the tasks of a timing, and the overdue ones, as one batch.
  ///
  /// - Returns: whether a task ran.
  func runTasks(of timing: RunLoopTask.Timing) -> Bool {
    let tasksRunBefore = runs.tasksRun
    countAsRun {
      catchUpAndRelease()
      let mode = loop?.currentMode(self) ?? .default
      noteIfCommon(mode)
      runBatch([ListSet(timing.rule.list), .overdue], in: mode)
    }
    return runs.tasksRun > tasksRunBefore
  }

  /// Whether a task is in line in the mode, so that it need not wait for a delay or an interval.
  func canRunTasks(in mode: RunLoop.Mode) -> Bool {
    catchUp()
    return hasTasksInLine(.all, in: id(of: mode))
  }
}

// Running many tasks ahead of their turns, at the end of a program or of a thread.
extension Scheduler {
  /// Runs what is pending, and then once more what these tasks have scheduled or replaced.
  ///
  /// - Returns: how many tasks have run.
  func runAllTasks() -> Int {
    countAsRun { runAhead(isDrain: false) + runAhead(isDrain: false) }
  }

  /// Runs the pending tasks that no async code awaits.
  ///
  /// - Parameter isDrain: whether only what waits for its time in the modes that the drain of a thread serves.
  @discardableResult
  func runAhead(isDrain: Bool) -> Int {
    catchUpAndRelease()
    var count = 0
    for task in store.pending.all.filter({ !$0.isAwaited && (!isDrain || $0.waitsInDrain) }) {
      if runNow(task) { count += 1 }
      catchUpAndRelease()  // other threads may have cancelled or replaced some
    }
    return count
  }
}

extension RunLoopTask {
  /// The task waits for its time in a mode that the drain of a thread serves.
  fileprivate var waitsInDrain: Bool {
    whereabouts == .waiting && modeIDs.contains { $0 == .default || $0 == .common }
  }
}
