import Foundation

/// The runs under way that the package knows, the innermost last, the batch that runs in them, and the waiting of idle
/// tasks. Only the loop's own thread uses it.
///
/// It is told what happens, and answers what the scheduler is to do. It knows neither the tasks nor the loop.
struct Runs {
  private var stack: [Run] = []
  /// The pass that is about to begin as a run, if the package drives it.
  private(set) var passToBegin: DrivenPass?
  /// The innermost batch that runs; `nil` outside batches and in `runNow`.
  private(set) var batch: Batch?
  /// There is one wait for the whole loop, with all its modes and nested runs.
  private(set) var idleWait = IdleWait()
  /// The calls under way that run tasks outside runs, and so count as runs for a loop that nobody runs.
  var callsThatCount = 0
  /// The number of tasks that have run.
  private(set) var tasksRun = 0

  // MARK: Runs

  var depth: Int { stack.count }

  /// The mode of the innermost run.
  var mode: ModeID? { stack.last?.mode }

  /// The innermost run as a pass that the package drives.
  var drivenPass: DrivenPass? { stack.last?.pass }

  /// The innermost run. There must be one.
  private var current: Run {
    _read { yield stack[stack.count - 1] }
    _modify { yield &stack[stack.count - 1] }
  }

  /// The next run that begins consists of a pass that the package drives. `nil` if there was none.
  mutating func expect(_ pass: DrivenPass?) { passToBegin = pass }

  mutating func beginRun(in mode: ModeID) { stack.append(Run(mode: mode, pass: passToBegin.take())) }

  /// Notes a run that began before its mode was observed. Modes may have been detached while it was unknown, so it
  /// makes one more pass.
  mutating func recognize(in mode: ModeID) { stack.append(Run(mode: mode, pass: nil, mustRecheck: true)) }

  /// The innermost run ends.
  mutating func endRun() { stack.removeLast() }

  /// Something has left a mode: see `Run.requestRecheck`. Of every run, because a needless pass is cheap.
  mutating func requestRechecks() { for index in stack.indices { stack[index].requestRecheck() } }

  /// A message or a command has come: see `Run.resetRechecks`.
  mutating func resetRechecks() { for index in stack.indices { stack[index].resetRechecks() } }

  /// The innermost run comes to a moment at which tasks are due.
  ///
  /// - Parameter inLine: the lists with tasks in line that belong to its mode.
  /// - Returns: the lists whose tasks run now.
  mutating func come(to moment: Moment, inLine: @autoclosure () -> ListSet) -> ListSet {
    var lists = ListSet.due(at: moment)
    if idleWait.isOn { idleWait.note(moment, in: drivenPass, at: TaskClock.uptime) }
    if idleWait.isOn { lists.remove(.idle) }
    switch moment {
    case .beforeWaiting:
      // Not both lists in one batch: if an idle task gives another task the timing `.currentLoopEnded`, the other one
      // waits for the next pass.
      lists.subtract(current.turnToIdleTasks(inLine()) ? .currentLoopEnded : .idle)
    case .entry, .afterWaiting, .exit: break
    }
    return lists
  }

  /// The innermost run goes on after a wake-up.
  mutating func noteWaking() { current.noteWaking() }

  /// Ends the pass at the last look before a sleep: see `Run.endPass`.
  mutating func endPass(_ lists: ListSet, hasGarbage: Bool, isCalledBack: Bool) -> Run.Step {
    current.endPass(lists, hasGarbage: hasGarbage, isCalledBack: isCalledBack)
  }

  /// How many passes in a row the innermost run has made only to look again.
  var rechecks: Int { current.rechecks }

  /// Notes that a source is about to deliver a batch. In a pass that the package drives it may do so once, because the
  /// iterations of that run are one pass.
  ///
  /// - Returns: whether it may deliver.
  mutating func beginDelivery(of source: AnyObject) -> Bool {
    guard drivenPass == nil || current.noteDelivery(of: source) else { return false }
    resetRechecks()
    return true
  }

  // MARK: Batches

  /// - Returns: the batch around it, with which `endBatch` ends it.
  mutating func beginBatch(_ new: Batch) -> Batch? {
    defer { batch = new }
    return batch
  }

  mutating func endBatch(_ ended: Batch, in outer: Batch?, hasRunTasks: Bool) {
    batch = outer
    // `runTasks(of:)` may be called outside the runs that the package knows.
    if hasRunTasks, mode == ended.mode { current.noteTasks() }
  }

  /// A task of the batch is about to run.
  mutating func noteTask(_ timing: RunLoopTask.Timing) { batch?.isInIdleTask = timing == .idle }

  mutating func countTask() { tasksRun += 1 }

  /// A task runs outside its turn, and in no batch.
  ///
  /// - Returns: the batch around it, with which `resumeBatch` ends this.
  mutating func suspendBatch() -> Batch? {
    if !stack.isEmpty { current.noteTasks() }
    return batch.take()
  }

  mutating func resumeBatch(_ outer: Batch?) { batch = outer }

  // MARK: Idle tasks

  /// Only in passes of `runPass` and `advance` are there no slices.
  var areIdleTasksSliced: Bool { drivenPass != .unsliced }

  /// Lets idle tasks wait, as a batch was cut short.
  mutating func letIdleTasksWait() { if areIdleTasksSliced { idleWait.begin(at: TaskClock.uptime) } }

  mutating func noteCallBack() { idleWait.noteCallBack() }

  /// The lists whose tasks wait for the callback, which is to be armed at `entry` or before a sleep.
  ///
  /// In an outermost run, the rest of any batch that was cut short waits as well, because a wake-up would come before
  /// the timers. In a nested run, a timer that is due in the run around it, and cannot fire here, may hold the callback
  /// up. The callback itself may have woken the run around.
  func listsThatWait(at moment: Moment) -> ListSet {
    if drivenPass != nil || !idleWait.needsCallBack(at: moment) { return [] }
    return depth > 1 ? .idle : .all
  }
}
