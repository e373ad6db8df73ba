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
    let isSliced = lists.contains(.idle) && !isDrain && areIdleTasksSliced
    run(
      Batch(
        of: lists, in: mode, at: pending.takePosition(), lastExit: lastExit,
        budget: isDrain ? .max : budget.load(ordering: .relaxed), isSliced: isSliced))
  }

  private func run(_ new: Batch) {
    let outer = batch
    var (lists, hasRunTasks) = (new.lists, false)
    batch = new
    while let task = removeFirst(in: lists, of: new) {
      guard execute(task) else { continue }
      hasRunTasks = true
      guard new.deadline < .max, new.hasBudget || task.timing == .idle, TaskClock.uptime >= new.deadline else {
        continue
      }
      // Even if the batch itself has scheduled all that is in line: the next batch would run it before the timers.
      if hasTasksInLine(new.hasBudget ? new.lists : .idle, in: new.mode) { startYielding() }
      if new.hasBudget { break }
      lists.remove(.idle)  // behind one idle task at least, even if other tasks have used up the slice
    }
    batch = outer
    // `runTasks(of:)` may be called outside the runs that the package knows.
    if hasRunTasks, runs.last?.mode == new.mode { currentRun.noteTasks() }
  }

  @inline(__always)
  private func removeFirst(in lists: ListSet, of batch: Batch) -> RunLoopTask? {
    let isCommon = !pending.filledLists(of: .common).isDisjoint(with: lists) && isCommon(batch.mode)
    return pending.removeFirst(in: lists, of: batch, isCommon: isCommon)
  }

  /// Runs a task that is no longer in line.
  ///
  /// - Returns: whether the task has run. Another thread may have cancelled it.
  @inline(__always)
  private func execute(_ task: RunLoopTask) -> Bool {
    let mayRun = begin(task)
    if mayRun {
      batch?.isInIdleTask = task.timing == .idle
      call(task)
    }
    releaseGarbage()
    pending.settle()
    return mayRun
  }

  /// Begins a task that is no longer in line, unless another thread has cancelled it.
  private func begin(_ task: RunLoopTask) -> Bool {
    let mayRun = task.leavePending(for: .running)
    if !task.extras.isNone { forgetKey(of: task, hasBegun: mayRun) }
    if !mayRun { garbage.append(task) }
    return mayRun
  }

  private func call(_ task: RunLoopTask) {
    tasksRun += 1
    if isRecorded.load(ordering: .relaxed) { callRecorded(task) } else { task.callClosure() }
    if !task.extras.isNone { task.releaseContents() }
    task.finish()
  }

  /// Runs a pending task now, outside its turn and outside any batch.
  ///
  /// - Returns: whether it was pending.
  func runNow(_ task: RunLoopTask) -> Bool {
    defer {
      releaseGarbage()
      pending.settle()
    }
    guard task.whereabouts != .outside else { return false }
    pending.remove(task)
    wakeHostForChange()
    guard begin(task) else { return false }
    let outer = batch.take()
    if !runs.isEmpty { currentRun.noteTasks() }
    call(task)
    batch = outer
    return true
  }

  func hasTasksInLine(_ lists: ListSet, in mode: ModeID) -> Bool { !listsInLine(in: mode).isDisjoint(with: lists) }

  /// The lists with tasks in line that belong to a mode.
  func listsInLine(in mode: ModeID) -> ListSet {
    let common = pending.filledLists(of: .common)
    return pending.filledLists(of: mode).union(!common.isEmpty && isCommon(mode) ? common : [])
  }
}

/// The tasks that run at one activity: those that had a place when it began.
struct Batch {
  /// How long a batch of idle tasks may take without a budget, in nanoseconds.
  private static let slice: Int64 = 4_000_000

  /// The lists that are due.
  let lists: ListSet
  /// The mode of the run.
  let mode: ModeID
  /// The position at which the batch began. It runs no task behind that.
  private let beginning: UInt64
  /// The same for the tasks for `.nextLoopBegan`; at an `entry`, the position of the last exit of a run of the mode.
  private let endOfNextLoopBegan: UInt64
  /// There is a budget, which is for all tasks. Otherwise only idle tasks have a deadline.
  let hasBudget: Bool
  /// The uptime in nanoseconds from which on no further task runs, `.max` for never.
  let deadline: Int64
  /// The task that runs is an idle one.
  var isInIdleTask = false

  /// - Parameters:
  ///   - lastExit: for an `entry`, when a run of the mode was last left.
  ///   - isSliced: whether idle tasks have a deadline without a budget, too.
  init(of lists: ListSet, in mode: ModeID, at beginning: UInt64, lastExit: UInt64?, budget: Int64, isSliced: Bool) {
    (self.lists, self.mode, self.beginning) = (lists, mode, beginning)
    endOfNextLoopBegan = lastExit ?? beginning
    hasBudget = budget < .max
    let limit = !hasBudget && isSliced ? Self.slice : budget
    // Without a deadline the clock is not read, because that takes as long as a task.
    deadline = limit == .max ? .max : TaskClock.uptime.date(after: limit)
  }

  /// The position before which a task of a list stands if the batch may run it.
  func end(of list: ListSet) -> UInt64 { list == .nextLoopBegan ? endOfNextLoopBegan : beginning }

  /// What is left for the task that runs; `nil` without a deadline.
  var timeLeft: Int64? {
    guard deadline < .max, hasBudget || isInIdleTask else { return nil }
    return max(0, deadline - TaskClock.uptime)
  }
}
