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
  /// The lists of the modes, those of one mode side by side.
  private var lists: [TaskList] = []
  /// How many tasks are pending in each mode, and how many of them wait for their time.
  private var counts: [Int] = []
  private var waitingCounts: [Int] = []
  /// The next position when a run of the mode was last left.
  private var exits: [UInt64] = []
  private var alarms = AlarmHeap()
  private var nextPosition: UInt64 = 1

  /// Makes room for one more mode.
  mutating func addMode() -> ModeID {
    defer {
      lists += Array(repeating: TaskList(), count: List.count)
      counts.append(0)
      waitingCounts.append(0)
      exits.append(0)
    }
    return ModeID(index: UInt16(counts.count))
  }

  // MARK: What is pending

  /// Whether tasks are pending in a mode, in line or waiting for their time.
  @inline(__always)
  func hasTasks(in mode: ModeID) -> Bool { counts[Int(mode.index)] > 0 }

  /// Whether all that is pending in a mode waits for its time.
  func hasOnlyWaitingTasks(in mode: ModeID) -> Bool { counts[Int(mode.index)] == waitingCounts[Int(mode.index)] }

  /// Whether tasks stand in one of the lists of a mode.
  func hasTasks(in lists: ListSet, of mode: ModeID) -> Bool {
    (0..<List.count).contains { list in
      lists.contains(ListSet(rawValue: 1 << list)) && !self.lists[Int(mode.index) * List.count + list].isEmpty
    }
  }

  /// When the earliest delay, interval or limit of a task ends.
  var earliestAlarm: Int64? { alarms.earliest }

  /// All pending tasks: those in line in their order, then the others.
  var all: [RunLoopTask] {
    var seen: Set<ObjectIdentifier> = []
    let inLine = lists.flatMap(\.tasks).filter { seen.insert(ObjectIdentifier($0)).inserted }
    return inLine.sorted { $0.rank < $1.rank } + alarms.waitingTasks
  }

  // MARK: In and out

  /// Takes in a new task.
  @inline(__always)
  mutating func add(_ task: RunLoopTask, at now: @autoclosure () -> Int64) {
    if task.options == nil {
      counts[Int(task.mode.index)] += 1
      enterLine(task)
    } else {
      addWithOptions(task, at: now())
    }
  }

  @inline(never)
  private mutating func addWithOptions(_ task: RunLoopTask, at now: Int64) {
    forEachMode(of: task) { $0.counts[Int($1.index)] += 1 }
    settle(task, at: now)
    setLimitAlarm(of: task, at: now)
  }

  /// Takes out a task that is pending.
  @inline(__always)
  mutating func remove(_ task: RunLoopTask) {
    if task.options == nil {
      counts[Int(task.mode.index)] -= 1
      lists[index(task.list, task.mode)].remove(task)
      task.standing = .out
    } else {
      removeWithOptions(task)
    }
  }

  @inline(never)
  private mutating func removeWithOptions(_ task: RunLoopTask) {
    forEachMode(of: task) { $0.counts[Int($1.index)] -= 1 }
    leave(task)
    removeLimitAlarm(of: task)
  }

  /// Gives a task that is not in line the next position.
  @inline(__always)
  private mutating func enterLine(_ task: RunLoopTask) {
    task.position = nextPosition
    nextPosition += 1
    link(task)
  }

  /// Puts a task into the lists of its modes, in its place.
  @inline(__always)
  private mutating func link(_ task: RunLoopTask) {
    task.standing = .inLine
    if task.mode != .several { return lists[index(task.list, task.mode)].insert(task) }
    forEachMode(of: task) { $0.lists[$0.index(task.list, $1)].insert(task) }
  }

  @inline(__always)
  private mutating func unlink(_ task: RunLoopTask) {
    task.standing = .out
    if task.mode != .several { return lists[index(task.list, task.mode)].remove(task) }
    forEachMode(of: task) { $0.lists[$0.index(task.list, $1)].remove(task) }
  }

  /// Puts a task in line, or lets it wait for its time.
  private mutating func settle(_ task: RunLoopTask, at now: Int64) {
    guard let options = task.options, options.waitEnd > now else { return enterLine(task) }
    task.standing = .waiting
    options.delayAlarm = alarms.add(options.waitEnd, .delay(task))
    forEachMode(of: task) { $0.waitingCounts[Int($1.index)] += 1 }
  }

  /// Takes a task out of line, or ends its waiting.
  private mutating func leave(_ task: RunLoopTask) {
    if task.standing == .inLine { return unlink(task) }
    task.standing = .out
    guard let alarm = task.options?.delayAlarm.take() else { return }
    alarms.remove(alarm)
    forEachMode(of: task) { $0.waitingCounts[Int($1.index)] -= 1 }
  }

  // MARK: Amendments

  mutating func setTiming(of task: RunLoopTask, to timing: RunLoopTask.Timing) {
    guard task.timing != timing else { return }
    let isInLine = task.standing == .inLine
    if isInLine { unlink(task) }
    task.timing = timing
    if isInLine { link(task) }
  }

  /// - Parameter modes: the modes, at least one and none twice.
  mutating func setModes(of task: RunLoopTask, to modes: [ModeID]) {
    if modes.count == 1, task.mode == modes[0] { return }
    let standing = task.standing
    forEachMode(of: task) { tasks, mode in
      tasks.counts[Int(mode.index)] -= 1
      if standing == .waiting { tasks.waitingCounts[Int(mode.index)] -= 1 }
    }
    if standing == .inLine { unlink(task) }
    task.setModes(modes)
    forEachMode(of: task) { tasks, mode in
      tasks.counts[Int(mode.index)] += 1
      if standing == .waiting { tasks.waitingCounts[Int(mode.index)] += 1 }
    }
    if standing == .inLine { link(task) } else { task.standing = standing }
  }

  mutating func setOrder(of task: RunLoopTask, to order: Int) {
    guard task.order != order else { return }
    let isInLine = task.standing == .inLine
    if isInLine { unlink(task) }
    task.madeOptions.order = order
    if isInLine { link(task) }
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
    guard task.madeOptions.intervalEnd != date else { return }
    let (old, options) = (task.madeOptions.waitEnd, task.madeOptions)
    options.intervalEnd = date
    guard max(options.waitEnd, now) != max(old, now) else { return }
    leave(task)
    settle(task, at: now)
  }

  mutating func setLimitEnd(of task: RunLoopTask, to date: Int64, at now: Int64) {
    removeLimitAlarm(of: task)
    if task.isOverdue { setOverdue(task, false) }
    task.madeOptions.limitEnd = date
    setLimitAlarm(of: task, at: now)
  }

  private mutating func setLimitAlarm(of task: RunLoopTask, at now: Int64) {
    guard let options = task.options, options.limitEnd < .max else { return }
    if options.limitEnd <= now { return setOverdue(task, true) }
    options.limitAlarm = alarms.add(options.limitEnd, .limit(task))
  }

  private mutating func removeLimitAlarm(of task: RunLoopTask) {
    if let alarm = task.options?.limitAlarm.take() { alarms.remove(alarm) }
  }

  private mutating func setOverdue(_ task: RunLoopTask, _ isOverdue: Bool) {
    let isInLine = task.standing == .inLine
    if isInLine { unlink(task) }
    task.isOverdue = isOverdue
    if isInLine { link(task) }
  }

  /// Puts a task into the place of another one, which is in line and leaves it. The task runs in a later batch than the ones under way.
  mutating func replace(_ old: RunLoopTask, by task: RunLoopTask) {
    let position = old.position
    remove(old)
    guard task.standing == .inLine else { return }
    unlink(task)
    let options = task.madeOptions
    options.ownPositions = (born: task.bornPosition, ready: nextPosition)
    nextPosition += 1
    task.position = position
    link(task)
  }

  /// Lets time have passed: tasks whose delay has ended come into line, those whose limit has passed become overdue.
  mutating func letTimePass(until now: Int64) {
    while let alarm = alarms.removeFirst(notAfter: now) {
      switch alarm.event {
      case .delay(let task):
        task.options?.delayAlarm = nil
        forEachMode(of: task) { $0.waitingCounts[Int($1.index)] -= 1 }
        enterLine(task)
      case .limit(let task):
        task.options?.limitAlarm = nil
        setOverdue(task, true)
      case .interval: break
      }
    }
  }

  // MARK: Batches

  /// Notes that a run in a mode is left.
  mutating func noteExit(of mode: ModeID) { exits[Int(mode.index)] = nextPosition }

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
  mutating func removeFirst(
    in lists: ListSet, of mode: ModeID, isCommon: Bool, batch: UInt64, onlyLeftBehind: Bool = false
  ) -> RunLoopTask? {
    var first: (rank: Rank, list: Int)?
    for list in 0..<List.count where lists.contains(ListSet(rawValue: 1 << list)) {
      look(in: Int(mode.index) * List.count + list, batch, onlyLeftBehind, &first)
      if isCommon { look(in: Int(ModeID.common.index) * List.count + list, batch, onlyLeftBehind, &first) }
    }
    guard let first else { return nil }
    let task = self.lists[first.list].takeFirst(first.rank)
    task.standing = .out
    if task.options == nil {
      counts[Int(task.mode.index)] -= 1
    } else {
      forEachMode(of: task) { tasks, mode in
        tasks.counts[Int(mode.index)] -= 1
        let list = tasks.index(task.list, mode)
        if list != first.list { tasks.lists[list].remove(task) }
      }
      removeLimitAlarm(of: task)
    }
    return task
  }

  @inline(__always)
  private mutating func look(
    in list: Int, _ batch: UInt64, _ onlyLeftBehind: Bool, _ first: inout (rank: Rank, list: Int)?
  ) {
    guard !lists[list].isEmpty else { return }
    let rank =
      onlyLeftBehind
      ? firstLeftBehind(in: list, batch) : lists[list].first(inBatch: batch) { $0.readyPosition < batch }
    guard let rank else { return }
    if let other = first, other.rank < rank { return }
    first = (rank, list)
  }

  private mutating func firstLeftBehind(in list: Int, _ batch: UInt64) -> Rank? {
    let exits = exits
    return lists[list].first(inBatch: batch) { task in
      guard task.readyPosition < batch else { return false }
      return task.isOverdue || task.modes.contains { exits[Int($0.index)] > task.bornPosition }
    }
  }

  // MARK: Lists and modes

  @inline(__always)
  private func index(_ list: List, _ mode: ModeID) -> Int { Int(mode.index) * List.count + list.rawValue }

  @inline(__always)
  private mutating func forEachMode(of task: RunLoopTask, _ body: (inout PendingTasks, ModeID) -> Void) {
    if task.mode != .several { return body(&self, task.mode) }
    for mode in task.modes { body(&self, mode) }
  }
}

/// The lists that each mode has.
enum List: Int {
  case nextLoopBegan, currentLoopEnded, idle, overdue

  static var count: Int { 4 }
}

struct ListSet: OptionSet {
  let rawValue: Int

  static let nextLoopBegan = ListSet(rawValue: 1 << List.nextLoopBegan.rawValue)
  static let currentLoopEnded = ListSet(rawValue: 1 << List.currentLoopEnded.rawValue)
  static let idle = ListSet(rawValue: 1 << List.idle.rawValue)
  static let overdue = ListSet(rawValue: 1 << List.overdue.rawValue)
}
