/// The pending tasks of a loop, with their places in line and their alarms.
///
/// A task is in one of three places: it is the newest, or it is in line (in a `TaskList` of each of its modes), or it
/// waits for the end of its delay or interval. Positions are unique in the loop. Of the first tasks of several lists,
/// the one with the lowest rank is therefore the first of all.
///
/// No user code is called, because the callers retain every task and key that they take out.
struct PendingTasks {
  /// The modes of the loop, in the order of their numbers. The inbox owns them.
  private(set) var modes: [Unmanaged<LoopMode>] = []
  /// For each task that waits or has a limit: when it next has to move.
  private var alarms = Alarms<RunLoopTask>()
  /// The task that came last, until it is settled. Chained options edit it in place.
  private var newest: TaskReference?
  private var nextPosition: UInt64 = 1

  /// Adds the modes that any thread has used for the first time.
  ///
  /// - Parameter all: all modes of the loop.
  mutating func addModes(of all: [LoopMode]) { modes += all.dropFirst(modes.count).map { .passUnretained($0) } }

  func with<Result>(_ mode: ModeID, _ body: (LoopMode) -> Result) -> Result {
    modes[Int(mode.index)].withUnretained(body)
  }

  /// A position behind all others.
  mutating func takePosition() -> UInt64 {
    defer { nextPosition += 1 }
    return nextPosition
  }

  // MARK: What is pending

  /// Whether tasks are pending in a mode, in line or waiting for their time.
  func hasTasks(in mode: ModeID) -> Bool {
    assert(isSettled)
    return with(mode) { !$0.tasks.isEmpty }
  }

  /// The lists of a mode that have tasks.
  func filledLists(of mode: ModeID) -> ListSet {
    assert(isSettled)
    return with(mode) { $0.tasks.filled }
  }

  /// The date of the earliest alarm of a task, in whatever mode, `.max` for never.
  var earliestAlarm: Int64 {
    assert(isSettled)
    return alarms.earliest
  }

  /// All tasks, those included that another thread has just cancelled: those in line in their order, then the others.
  var all: [RunLoopTask] {
    assert(isSettled)
    let inLine = modes.flatMap { $0.withUnretained { mode in mode.tasks.all.filter { $0.modeIDs[0] == mode.id } } }
    return inLine.inOrder { (Int64($0.order), $0.position) } + alarms.all.filter { $0.whereabouts == .waiting }
  }

  // MARK: In and out

  /// Takes in a new task, behind all others.
  mutating func add(_ task: RunLoopTask) {
    assert(isSettled, "the newest task would be lost")
    (task.position, task.whereabouts) = (takePosition(), .newest)
    newest = .passRetained(task)
  }

  /// The newest task is in its list; required before any query.
  var isSettled: Bool { newest == nil }

  /// Puts the newest task where it belongs, as other things are about to happen.
  mutating func settle() {
    if let newest { settle(newest) }
  }

  private mutating func settle(_ reference: TaskReference) {
    newest = nil
    if reference.withUnretained({ $0.hasNoOptions }) {
      let (mode, timing) = reference.withUnretained { ($0.mode, $0.timing) }
      with(mode) { $0.tasks.insert(reference, into: timing.rule.list) }
    } else {
      // As if none of its dates had come, so that `letTimePass` takes its dates and those of other tasks in their
      // order.
      put(reference.takeRetainedValue(), at: .min)
    }
  }

  /// Takes out a task that was taken in.
  @inline(__always)
  mutating func remove(_ task: RunLoopTask) {
    leave(task)
    task.whereabouts = .outside
    if !task.hasNoOptions { setAlarm(of: task, for: nil) }
  }

  /// Changes a task, and puts it where it belongs then. It keeps its place in line as far as the change allows.
  mutating func change(_ task: RunLoopTask, at now: @autoclosure () -> Int64, _ body: () -> Void) {
    if task.isNewest { return body() }
    leave(task)
    body()
    put(task, at: now())
  }

  /// Moves the tasks whose delay, interval or limit has ended by a date.
  mutating func letTimePass(until now: Int64) {
    while let task = alarms.removeFirst(notAfter: now) {
      task.options?.alarm = nil
      change(task, at: now) {}
    }
  }

  // MARK: Where a task belongs

  /// Takes a task out of where it is.
  @inline(__always)
  private mutating func leave(_ task: RunLoopTask) {
    switch task.whereabouts {
    case .inLine(let list): task.forEachMode { with($0) { $0.tasks.remove(task, from: list).release() } }
    case .waiting: task.forEachMode { with($0) { $0.tasks.waitingCount -= 1 } }
    case .newest, .outside: assertionFailure("the task is in no list")
    }
  }

  /// Puts a task in line, or lets it wait for the end of its delay and then, with its position taken, for the end of
  /// its interval. A task whose limit has passed waits for nothing.
  private mutating func put(_ task: RunLoopTask, at now: @autoclosure () -> Int64) {
    guard let options = task.options else { return link(task, into: task.timing.rule.list) }
    let now = now()
    let limitEnd = options.leastLimitEnd
    let isOverdue = limitEnd <= now
    let isDelayed = options.delayEnd > now && !isOverdue
    if isDelayed { task.position = 0 } else if task.position == 0 { task.position = takePosition() }
    let waitEnd = isDelayed ? options.delayEnd : options.intervalEnd
    if waitEnd <= now || isOverdue {
      link(task, into: isOverdue ? .overdue : task.timing.rule.list)
      setAlarm(of: task, for: isOverdue || limitEnd == .max ? nil : limitEnd)
    } else {
      task.whereabouts = .waiting
      task.forEachMode { with($0) { $0.tasks.waitingCount += 1 } }
      setAlarm(of: task, for: min(waitEnd, limitEnd))
    }
  }

  /// Of alarms for one date the oldest fires first, so an alarm whose date does not change stays.
  private mutating func setAlarm(of task: RunLoopTask, for date: Int64?) {
    if let alarm = task.options?.alarm {
      if alarms.date(at: alarm) == date { return }
      _ = alarms.remove(at: alarm)
      task.options?.alarm = nil
    }
    if let date { alarms.add(date, task) }
  }

  /// Puts a task into a list of each of its modes, in its place.
  private mutating func link(_ task: RunLoopTask, into list: ListID) {
    task.forEachMode { with($0) { $0.tasks.insert(.passRetained(task), into: list) } }
  }

  // MARK: Batches

  /// Takes out the first task that a batch may run.
  ///
  /// - Parameters:
  ///   - lists: the lists that are due.
  ///   - isCommon: whether the mode of the batch is one of the common modes.
  @inline(__always)
  mutating func removeFirst(in lists: ListSet, of batch: Batch, isCommon: Bool) -> RunLoopTask? {
    let own = filledLists(of: batch.mode).intersection(lists)
    let common = isCommon ? filledLists(of: .common).intersection(lists) : []
    if own.isEmpty, common.isEmpty { return nil }
    // Usually only one list has tasks, all linked, and there is nothing to compare. A linked task is in one list only.
    // With `removeFirstOfAll` alone, a task takes a fifth longer.
    let mode = common.isEmpty ? batch.mode : .common
    guard own.isEmpty || common.isEmpty, let list = own.union(common).single,
      let task = with(mode, { $0.tasks.takeFirst(in: list, of: batch) })?.takeRetainedValue()
    else { return removeFirstOfAll(in: lists, of: batch, isCommon: isCommon) }
    task.whereabouts = .outside
    if !task.hasNoOptions { setAlarm(of: task, for: nil) }
    return task
  }

  private mutating func removeFirstOfAll(in lists: ListSet, of batch: Batch, isCommon: Bool) -> RunLoopTask? {
    let common = isCommon ? with(.common) { $0.tasks.first(in: lists, of: batch) } : nil
    let first = RunLoopTask.first(with(batch.mode) { $0.tasks.first(in: lists, of: batch) }, common)
    if let first { remove(first) }
    return first
  }
}
