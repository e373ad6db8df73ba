/// The pending tasks of a loop, with their places in line and their alarms.
///
/// A task is either in line or waits for a delay or an interval. In line it is in one `List` of each of its modes.
/// Positions are unique in the loop. Of the first tasks of several lists, the one with the lowest rank is therefore the
/// first of all.
///
/// A value type that needs no run loop. It never calls user code, because its callers retain every task that they take
/// out.
struct PendingTasks {
  // Only the extensions of this type change these.
  var modes: [ModeTasks] = []
  var alarms = Alarms()
  var nextPosition: UInt64 = 1
  /// How many delays, intervals and limits of tasks have ended.
  var timesEnded = 0

  /// Makes room for one more mode.
  mutating func addMode() { modes.append(ModeTasks()) }

  // MARK: What is pending

  /// Whether tasks are pending in a mode, in line or waiting for their time.
  @inline(__always)
  func hasTasks(in mode: ModeID) -> Bool { !modes[Int(mode.index)].isEmpty }

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
  mutating func add(_ task: RunLoopTask, at now: Int64) {
    guard !task.extras.isNone else { return add(simple: task) }
    putInLine(task, at: now)
    setLimitAlarm(of: task, at: now)
  }

  /// Takes in a new task that has only one mode, and no options.
  @inline(__always)
  mutating func add(simple task: RunLoopTask) {
    task.position = nextPosition
    nextPosition += 1
    modes[Int(task.mode.index)].insert(simple: .passRetained(task))
  }

  /// Takes out a task that is pending.
  @inline(__always)
  mutating func remove(_ task: RunLoopTask) {
    leave(task)
    if !task.extras.isNone { removeLimitAlarm(of: task) }
  }

  /// Takes out all tasks.
  mutating func removeAll() -> [RunLoopTask] {
    var tasks: [RunLoopTask] = []
    for task in all where task.whereabouts != .outside {
      remove(task)
      tasks.append(task)
    }
    return tasks
  }

  /// Puts a task into the lists of its modes, in its place.
  mutating func link(_ task: RunLoopTask) {
    let list = list(of: task)
    task.whereabouts = .inLine(list)
    task.forEachMode { modes[Int($0.index)].insert(.passRetained(task), into: list) }
  }

  mutating func unlink(_ task: RunLoopTask, from list: List) {
    task.whereabouts = .outside
    task.forEachMode { modes[Int($0.index)].remove(task, from: list).release() }
  }

  /// Changes a task. If it is in line, it keeps its place there as far as the change allows.
  mutating func change(_ task: RunLoopTask, _ body: () -> Void) {
    guard case .inLine(let list) = task.whereabouts else { return body() }
    unlink(task, from: list)
    body()
    link(task)
  }

  /// The list in which a task belongs.
  @inline(__always)
  func list(of task: RunLoopTask) -> List {
    if task.isOverdue { return .overdue }
    return task.timing == .nextLoopBegan && wasLeftBehind(task) ? .leftBehind : List(task.timing)
  }

  /// Whether a run of one of its modes was left since the task took its first place.
  private func wasLeftBehind(_ task: RunLoopTask) -> Bool {
    var wasLeft = false
    task.forEachMode { wasLeft = wasLeft || modes[Int($0.index)].exit > task.bornPosition }
    return wasLeft
  }

  /// Gives a task a place behind all others and puts it in line. It gets no place before its delay has ended, and then
  /// waits with its place for the end of its interval. An overdue task waits for nothing.
  mutating func putInLine(_ task: RunLoopTask, at now: Int64) {
    if let options = task.options, options.delayEnd > now, !task.isOverdue {
      return wait(task, until: options.delayEnd)
    }
    task.position = nextPosition
    nextPosition += 1
    guard let options = task.options else { return link(task) }
    (options.delayEnd, options.ownPositions) = (.min, nil)
    takePlace(task, at: now)
  }

  /// Puts a task that has a place in line, unless it waits for its interval.
  mutating func takePlace(_ task: RunLoopTask, at now: Int64) {
    if let end = task.options?.intervalEnd, end > now, !task.isOverdue { wait(task, until: end) } else { link(task) }
  }

  mutating func wait(_ task: RunLoopTask, until date: Int64) {
    task.whereabouts = .waiting
    task.madeOptions.waitAlarm = alarms.add(date, .wait(task))
    task.forEachMode { modes[Int($0.index)].waitingCount += 1 }
  }

  /// Puts a task whose wait has ended in line.
  mutating func endWait(of task: RunLoopTask, at now: Int64) {
    if task.hasPlace { endInterval(of: task) } else { putInLine(task, at: now) }
  }

  /// Puts a task whose interval has ended in line, in its place. Batches in progress do not run the task.
  mutating func endInterval(of task: RunLoopTask) {
    task.madeOptions.ownPositions = (born: task.bornPosition, ready: nextPosition)
    nextPosition += 1
    link(task)
  }

  /// Takes a task out of line, or ends its waiting.
  @inline(__always)
  mutating func leave(_ task: RunLoopTask) {
    if case .inLine(let list) = task.whereabouts { unlink(task, from: list) } else { stopWaiting(task) }
  }

  @inline(never)
  private mutating func stopWaiting(_ task: RunLoopTask) {
    if let alarm = task.options?.waitAlarm { alarms.remove(alarm) }
    noteEndOfWait(of: task)
  }

  /// Notes that a task no longer waits, and that its alarm is gone.
  mutating func noteEndOfWait(of task: RunLoopTask) {
    task.whereabouts = .outside
    guard task.options?.waitAlarm.take() != nil else { return }
    task.forEachMode { modes[Int($0.index)].waitingCount -= 1 }
  }
}
