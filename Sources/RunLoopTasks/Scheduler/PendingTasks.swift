/// A mode of the loop, as a number that the scheduler gives it.
struct ModeID: Hashable {
  let index: UInt16

  static let `default` = ModeID(index: 0)
  /// The common modes.
  static let common = ModeID(index: 1)
  /// Stands for the modes that a task's options name.
  static let several = ModeID(index: .max)
}

/// The pending tasks of a loop: which of them wait, where, in what order, and until when.
///
/// A task is either in line or waiting for its time. In line it stands in one list of each of its modes, that of its timing;
/// once its limit has passed, in the list of the overdue tasks. Positions are numbered through the whole loop, so of the first
/// tasks of several lists the one with the lowest rank is the first of all.
///
/// A value without any run loop. It never calls code of the package's users: its callers hold every task that they take out.
struct PendingTasks {
  private var modes: [ModeTasks] = []
  private var alarms = AlarmHeap()
  private var nextPosition: UInt64 = 1

  /// Makes room for one more mode.
  mutating func addMode() -> ModeID {
    modes.append(ModeTasks())
    return ModeID(index: UInt16(modes.count - 1))
  }

  // MARK: What is pending

  /// Whether tasks are pending in a mode, in line or waiting for their time.
  @inline(__always)
  func hasTasks(in mode: ModeID) -> Bool { modes[Int(mode.index)].count > 0 }

  /// Whether all that is pending in a mode waits for its time.
  func hasOnlyWaitingTasks(in mode: ModeID) -> Bool {
    modes[Int(mode.index)].count == modes[Int(mode.index)].waitingCount
  }

  /// Whether tasks stand in one of the lists of a mode.
  func hasTasks(in lists: ListSet, of mode: ModeID) -> Bool {
    !modes[Int(mode.index)].filled.isDisjoint(with: lists)
  }

  /// When the earliest delay or limit of a task, or interval of a key ends.
  var earliestAlarm: Int64? { alarms.earliest }

  /// All pending tasks, in no particular order. A task of several modes may be there several times.
  var all: [RunLoopTask] { modes.flatMap(\.tasks) + alarms.waitingTasks }

  /// All pending tasks: those in line in their order, then the others.
  var allInOrder: [RunLoopTask] {
    var seen: Set<ObjectIdentifier> = []
    let inLine = modes.flatMap(\.tasks).filter { seen.insert(ObjectIdentifier($0)).inserted }
    return inLine.sorted { $0.rank < $1.rank } + alarms.waitingTasks
  }

  // MARK: In and out

  /// Takes in a new task.
  @inline(__always)
  mutating func add(_ task: RunLoopTask, at now: @autoclosure () -> Int64) {
    guard task.options == nil else { return addWithOptions(task, at: now()) }
    (task.position, task.standing) = (nextPosition, .inLine)
    nextPosition += 1
    modes[Int(task.mode.index)].count += 1
    modes[Int(task.mode.index)].insert(task)
  }

  @inline(never)
  private mutating func addWithOptions(_ task: RunLoopTask, at now: Int64) {
    for mode in task.modes { modes[Int(mode.index)].count += 1 }
    settle(task, at: now)
    setLimitAlarm(of: task, at: now)
  }

  /// Takes out a task that is pending.
  @inline(__always)
  mutating func remove(_ task: RunLoopTask) {
    guard task.options == nil else { return removeWithOptions(task) }
    task.standing = .out
    modes[Int(task.mode.index)].count -= 1
    modes[Int(task.mode.index)].remove(task)
  }

  @inline(never)
  private mutating func removeWithOptions(_ task: RunLoopTask) {
    forEachMode(of: task) { $0.count -= 1 }
    leave(task)
    removeLimitAlarm(of: task)
  }

  /// Puts a task into the lists of its modes, in its place.
  private mutating func link(_ task: RunLoopTask) {
    task.standing = .inLine
    if task.mode != .several { return modes[Int(task.mode.index)].insert(task) }
    for mode in task.modes { modes[Int(mode.index)].insert(task) }
  }

  private mutating func unlink(_ task: RunLoopTask) {
    task.standing = .out
    if task.mode != .several {
      modes[Int(task.mode.index)].remove(task)
    } else {
      for mode in task.modes { modes[Int(mode.index)].remove(task) }
    }
  }

  /// Changes a task. If it is in line, it keeps its place there as far as the change allows.
  private mutating func change(_ task: RunLoopTask, _ body: () -> Void) {
    guard task.standing == .inLine else { return body() }
    unlink(task)
    body()
    link(task)
  }

  /// Puts a task in line behind all others, or lets it wait for its time.
  private mutating func settle(_ task: RunLoopTask, at now: Int64) {
    if let options = task.options, options.waitEnd > now {
      task.standing = .waiting
      options.delayAlarm = alarms.add(options.waitEnd, .delay(task))
      for mode in task.modes { modes[Int(mode.index)].waitingCount += 1 }
    } else {
      task.position = nextPosition
      task.options?.ownPositions = nil
      nextPosition += 1
      link(task)
    }
  }

  /// Takes a task out of line, or ends its waiting.
  private mutating func leave(_ task: RunLoopTask) {
    if task.standing == .inLine { return unlink(task) }
    task.standing = .out
    guard let alarm = task.options?.delayAlarm.take() else { return }
    alarms.remove(alarm)
    for mode in task.modes { modes[Int(mode.index)].waitingCount -= 1 }
  }

  // MARK: Amendments

  @inline(__always)
  mutating func setTiming(of task: RunLoopTask, to timing: RunLoopTask.Timing) {
    guard task.timing != timing else { return }
    guard task.options == nil else { return change(task) { task.timing = timing } }
    let index = Int(task.mode.index)
    let task = modes[index].remove(task)
    task.timing = timing
    modes[index].insert(task)
  }

  /// Changes the modes of a task that has one, to one other.
  mutating func setMode(of task: RunLoopTask, to mode: ModeID) {
    let old = Int(task.mode.index)
    modes[old].count -= 1
    let task = modes[old].remove(task)
    task.mode = mode
    modes[Int(mode.index)].count += 1
    modes[Int(mode.index)].insert(task)
  }

  /// - Parameter new: the modes, at least one and none twice.
  mutating func setModes(of task: RunLoopTask, to new: [ModeID]) {
    let isWaiting = task.standing == .waiting
    for mode in task.modes {
      modes[Int(mode.index)].count -= 1
      if isWaiting { modes[Int(mode.index)].waitingCount -= 1 }
    }
    change(task) { task.setModeIDs(new) }
    for mode in new {
      modes[Int(mode.index)].count += 1
      if isWaiting { modes[Int(mode.index)].waitingCount += 1 }
    }
  }

  mutating func setOrder(of task: RunLoopTask, to order: Int) {
    if task.order != order { change(task) { task.madeOptions.order = order } }
  }

  /// Lets a task wait until a date; one that has passed is none.
  mutating func setDelayEnd(of task: RunLoopTask, to date: Int64, at now: Int64) {
    guard date > now || task.standing == .waiting else { return }
    leave(task)
    task.madeOptions.delayEnd = date
    settle(task, at: now)
  }

  /// Lets a task wait until the interval of its key has ended.
  mutating func setIntervalEnd(of task: RunLoopTask, to date: Int64, at now: Int64) {
    let options = task.madeOptions
    let old = options.waitEnd
    options.intervalEnd = date
    guard max(options.waitEnd, now) != max(old, now) else { return }
    leave(task)
    settle(task, at: now)
  }

  mutating func setLimitEnd(of task: RunLoopTask, to date: Int64, at now: Int64) {
    removeLimitAlarm(of: task)
    if task.isOverdue { change(task) { task.isOverdue = false } }
    task.madeOptions.limitEnd = date
    setLimitAlarm(of: task, at: now)
  }

  private mutating func setLimitAlarm(of task: RunLoopTask, at now: Int64) {
    guard let options = task.options, options.limitEnd < .max else { return }
    if options.limitEnd <= now { return change(task) { task.isOverdue = true } }
    options.limitAlarm = alarms.add(options.limitEnd, .limit(task))
  }

  private mutating func removeLimitAlarm(of task: RunLoopTask) {
    if let alarm = task.options?.limitAlarm.take() { alarms.remove(alarm) }
  }

  /// Puts a task into the place of another one, which is in line and leaves it. Batches that are under way do not run it.
  mutating func replace(_ old: RunLoopTask, by task: RunLoopTask) {
    let (position, ready) = (old.position, nextPosition)
    remove(old)
    guard task.standing == .inLine else { return }
    nextPosition += 1
    change(task) {
      task.madeOptions.ownPositions = (born: task.bornPosition, ready: ready)
      task.position = position
    }
  }

  /// Lets time have passed: tasks whose delay has ended come into line, those whose limit has passed become overdue.
  ///
  /// - Returns: the keys whose intervals have ended.
  mutating func letTimePass(until now: Int64) -> [AnyHashable] {
    var keys: [AnyHashable] = []
    while let alarm = alarms.removeFirst(notAfter: now) {
      switch alarm.event {
      case .delay(let task):
        task.options?.delayAlarm = nil
        for mode in task.modes { modes[Int(mode.index)].waitingCount -= 1 }
        settle(task, at: now)
      case .limit(let task):
        task.options?.limitAlarm = nil
        change(task) { task.isOverdue = true }
      case .interval(let key): keys.append(key)
      }
    }
    return keys
  }

  /// Begins the interval of a key.
  mutating func addInterval(of key: AnyHashable, until date: Int64) -> Alarm { alarms.add(date, .interval(key)) }

  /// Ends an interval early.
  mutating func removeInterval(_ alarm: Alarm) { alarms.remove(alarm) }

  // MARK: Batches

  /// Notes that a run in a mode is left.
  mutating func noteExit(of mode: ModeID) { modes[Int(mode.index)].exit = nextPosition }

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
  ///   - onlyLeftBehind: whether only overdue tasks may run, and those that an earlier run has left behind.
  @inline(__always)
  mutating func removeFirst(
    in lists: ListSet, of mode: ModeID, isCommon: Bool, batch: UInt64, onlyLeftBehind: Bool
  ) -> RunLoopTask? {
    // Mostly only one list has tasks, and nothing need be compared.
    let own = modes[Int(mode.index)].filled.intersection(lists)
    let common = isCommon ? modes[Int(ModeID.common.index)].filled.intersection(lists) : []
    guard !onlyLeftBehind, own.isEmpty || common.isEmpty, let list = own.union(common).only else {
      return removeFirst(in: lists, of: isCommon ? [mode, .common] : [mode], batch, onlyLeftBehind)
    }
    let index = Int((common.isEmpty ? mode : .common).index)
    guard let task = modes[index].takeFirst(in: list, inBatch: batch) else { return nil }
    noteTaken(task)
    return task
  }

  @inline(never)
  private mutating func removeFirst(
    in lists: ListSet, of candidates: [ModeID], _ batch: UInt64, _ onlyLeftBehind: Bool
  ) -> RunLoopTask? {
    var first: (rank: Rank, list: List)?
    var mode = 0
    for index in candidates.map({ Int($0.index) }) where !modes[index].filled.isDisjoint(with: lists) {
      let exits = onlyLeftBehind ? modes.map(\.exit) : []
      let found = modes[index].first(in: lists, inBatch: batch) { task in
        guard task.readyPosition < batch else { return false }
        return !onlyLeftBehind || task.isOverdue || task.modes.contains { exits[Int($0.index)] > task.bornPosition }
      }
      if let found, first.map({ found.rank < $0.rank }) ?? true { (first, mode) = (found, index) }
    }
    guard let first else { return nil }
    let task = modes[mode].take(first)
    noteTaken(task)
    return task
  }

  /// Takes a task out of the other lists, after it was taken out of one.
  @inline(__always)
  private mutating func noteTaken(_ task: RunLoopTask) {
    task.standing = .out
    if task.options == nil {
      modes[Int(task.mode.index)].count -= 1
    } else {
      noteTakenWithOptions(task)
    }
  }

  @inline(never)
  private mutating func noteTakenWithOptions(_ task: RunLoopTask) {
    forEachMode(of: task) { mode in
      mode.count -= 1
      if task.mode == .several { mode.removeIfPresent(task) }
    }
    removeLimitAlarm(of: task)
  }

  @inline(__always)
  private mutating func forEachMode(of task: RunLoopTask, _ body: (inout ModeTasks) -> Void) {
    if task.mode != .several { return body(&modes[Int(task.mode.index)]) }
    for mode in task.modes { body(&modes[Int(mode.index)]) }
  }
}
