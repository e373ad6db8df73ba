/// The pending tasks of one loop, with their places, dates and keys, and what is to be released.
///
/// It belongs to the loop's own thread. It runs no user code but the `==` of keys: what is taken out is handed to the
/// scheduler, or is garbage that the scheduler releases when all state is consistent again.
final class Store {
  // Exclusivity is not checked at run time, because each task accesses the variables many times. No method of one of
  // them runs user code, but for those of the keys: see `withKeys`.
  @exclusivity(unchecked) private var tasks = PendingTasks()
  @exclusivity(unchecked) private var keys = CoalescingKeys()
  private var areKeysInUse = false
  /// Cancelled tasks, and references to keys. Their release may run any code, even code that runs the loop.
  @exclusivity(unchecked) private var garbage: [AnyObject] = []

  /// Calls `body` with the keys of tasks. It calls the `==` of keys, which must not come back here.
  private func withKeys<Result>(_ body: (inout CoalescingKeys) -> Result) -> Result {
    if areKeysInUse {
      fatalError("The == of a key has scheduled, run or cancelled a task of the same loop; it must only compare")
    }
    areKeysInUse = true
    defer { areKeysInUse = false }
    return body(&keys)
  }

  /// The pending tasks, each where it belongs. The newest is put there now, which no call can tell.
  var pending: PendingTasks {
    @inline(__always) _read {
      tasks.settle()
      yield tasks
    }
  }

  // MARK: In

  /// Takes in a new task, which replaces the one with its key.
  ///
  /// - Returns: the task that was pending, for the caller to release.
  @inline(__always)
  func add(_ task: RunLoopTask, at date: @autoclosure () -> Int64) -> RunLoopTask? {
    tasks.settle()
    tasks.add(task)
    guard !task.extras.isNone, let key = task.key else { return nil }
    return replaceTask(with: key, by: task, at: date())
  }

  /// Gives a task another key, or its first one, as `add` does.
  @inline(__always)
  func setKey(of task: RunLoopTask, to key: TaskKey, at date: @autoclosure () -> Int64) -> RunLoopTask? {
    if let oldKey = task.key {
      forgetKey(of: task)
      garbage.append(oldKey)
    }
    task.key = key
    return replaceTask(with: key, by: task, at: date())
  }

  private func replaceTask(with key: TaskKey, by task: RunLoopTask, at date: @autoclosure () -> Int64) -> RunLoopTask? {
    let old = withKeys { $0.setTask(task, with: key) }
    if key.interval > 0 || task.options?.intervalEnd ?? .min > .min {
      let now = date()
      let end = withKeys { $0.endOfInterval(of: key, at: now) } ?? .min
      tasks.change(task, at: now) { task.makeOptions().intervalEnd = end }
      if end > now { task.scheduler.unrunLoop.noteGone(task) }
    }
    guard let old else { return nil }
    if old.leavePending(for: .cancelled) {
      task.scheduler.unrunLoop.noteReplacement(task)
      tasks.remove(old)
      if old.options?.leastLimitEnd ?? .max < .max { tasks.change(task, at: date()) { task.inheritLimit(of: old) } }
      return old
    }
    if let oldKey = old.key.take() { garbage.append(oldKey) }  // the withdrawal of the old task is still to come
    return nil
  }

  /// Changes a task, and puts it where it belongs then. It keeps its place in line as far as the change allows.
  func change(_ task: RunLoopTask, at now: @autoclosure () -> Int64, _ body: () -> Void) {
    tasks.change(task, at: now(), body)
  }

  // MARK: Time

  /// The date at which time next changes anything, `.max` for never.
  var nextChange: Int64 { min(pending.earliestAlarm, keys.earliestEnd) }

  /// Ends the delays, limits and intervals whose time has come at a date.
  func letTimePass(until date: Int64) {
    guard nextChange <= date else { return }
    tasks.letTimePass(until: date)
    garbage += withKeys { $0.forgetBeginnings(until: date) } as [AnyObject]
  }

  // MARK: Out

  /// The pending task with a key.
  func task(with key: TaskKey) -> RunLoopTask? { withKeys { $0[key] } }

  /// Takes out the first task that a batch may run: see `PendingTasks.removeFirst`.
  @inline(__always)
  func removeFirst(in lists: ListSet, of batch: Batch, isCommon: Bool) -> RunLoopTask? {
    tasks.settle()
    return tasks.removeFirst(in: lists, of: batch, isCommon: isCommon)
  }

  /// Takes out a task that is to run ahead of its turn.
  ///
  /// - Returns: whether it was there.
  @inline(__always)
  func remove(_ task: RunLoopTask) -> Bool {
    tasks.settle()
    guard task.whereabouts != .outside else { return false }
    tasks.remove(task)
    return true
  }

  /// Begins a task that was taken out, unless another thread has cancelled it.
  @inline(__always)
  func begin(_ task: RunLoopTask, at date: @autoclosure () -> Int64) -> Bool {
    let mayRun = task.leavePending(for: .running)
    if !task.extras.isNone { forgetKey(of: task, at: mayRun ? date() : nil) }
    if !mayRun { garbage.append(task) }
    return mayRun
  }

  /// Cancels the pending task with a key.
  func cancelTask(with key: TaskKey) {
    if let task = task(with: key), task.leavePending(for: .cancelled) { withdraw(task) }
  }

  /// Takes out a task that was cancelled. Does no more than release it if it is out already, or never came in.
  func withdraw(_ task: RunLoopTask) {
    if remove(task) { forgetKey(of: task) }
    garbage.append(task)
  }

  /// Cancels all pending tasks before any closure is released, because a release may look at other tasks.
  func cancelAll() {
    for task in pending.all {
      _ = task.leavePending(for: .cancelled)
      withdraw(task)  // also if another thread has just cancelled it, whose message the end of the loop may refuse
    }
  }

  /// Cancels all pending tasks, and forgets what has begun.
  func end() {
    cancelAll()
    garbage += withKeys { $0.forgetBeginnings(until: .max) } as [AnyObject]
  }

  /// Forgets the key of a task, which still has it.
  ///
  /// - Parameter date: when the task has begun, so that its interval begins.
  @inline(never)
  private func forgetKey(of task: RunLoopTask, at date: @autoclosure () -> Int64? = nil) {
    guard let key = task.key else { return }
    withKeys { $0.removeTask(with: key) }
    if key.interval > 0, let date = date() { withKeys { $0.noteBeginning(of: key, at: date) } }
  }

  // MARK: Garbage

  var hasGarbage: Bool { !garbage.isEmpty }

  func discard(_ task: RunLoopTask) { garbage.append(task) }

  /// Takes out something whose release may run any code.
  @inline(__always)
  func takeGarbage() -> AnyObject? { garbage.popLast() }

  // MARK: Modes

  /// See `PendingTasks.addModes`.
  func addModes(of all: [LoopMode]) { tasks.addModes(of: all) }

  var modes: [Unmanaged<LoopMode>] { tasks.modes }

  func with<Result>(_ mode: ModeID, _ body: (LoopMode) -> Result) -> Result { tasks.with(mode, body) }

  /// A position behind all others.
  func takePosition() -> UInt64 { tasks.takePosition() }

  /// A run of a mode is left.
  func noteExit(of mode: ModeID) {
    let position = tasks.takePosition()
    tasks.with(mode) { $0.tasks.lastExit = position }
  }

  /// The position at which a run of a mode was last left.
  func lastExit(of mode: ModeID) -> UInt64 { tasks.with(mode) { $0.tasks.lastExit } }
}
