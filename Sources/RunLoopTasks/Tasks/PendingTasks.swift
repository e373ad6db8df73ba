/// The pending tasks of a loop, with their places in line and their alarms.
///
/// A task is either in line or waits for a delay or an interval. In line it is in one `List` of each of its modes.
/// Positions are unique in the loop. Of the first tasks of several lists, the one with the lowest rank is therefore the
/// first of all.
///
/// A value type that needs no run loop. It never calls user code, because its callers retain every task that they take
/// out.
struct PendingTasks {
  // Only the extensions of this type change the first two.
  var modes: [ModeTasks] = []
  var alarms = Alarms<TaskAlarm>()
  /// The throttled keys whose latest start is remembered, each with one alarm, which is set anew if the interval has not
  /// ended by then.
  var intervals = Alarms<TaskKey>()
  private(set) var nextPosition: UInt64 = 1

  /// Makes room for one more mode.
  mutating func addMode() { modes.append(ModeTasks()) }

  /// A position behind all others.
  @inline(__always)
  mutating func takePosition() -> UInt64 {
    defer { nextPosition += 1 }
    return nextPosition
  }

  // MARK: What is pending

  /// Whether tasks are pending in a mode, in line or waiting for their time.
  @inline(__always)
  func hasTasks(in mode: ModeID) -> Bool { !modes[Int(mode.index)].isEmpty }

  /// Whether tasks stand in one of the lists of a mode.
  @inline(__always)
  func hasTasks(in lists: ListSet, of mode: ModeID) -> Bool {
    !modes[Int(mode.index)].filled.isDisjoint(with: lists)
  }

  /// Whether anything changes with time.
  var isTimed: Bool { !alarms.isEmpty || !intervals.isEmpty }

  /// When time next changes something. The last date of the clock may also mean never.
  var nextChange: Int64 { min(alarms.earliestDate, intervals.earliestDate) }

  /// All pending tasks: those in line in their order, then the others.
  var all: [RunLoopTask] {
    var seen: Set<ObjectIdentifier> = []
    let inLine = modes.flatMap(\.tasks).filter { seen.insert(ObjectIdentifier($0)).inserted }
    return inLine.sorted { $0.rank < $1.rank }
      + alarms.all.compactMap { if case .wait(let task) = $0 { task } else { nil } }
  }

  // MARK: In and out

  /// Takes in a new task.
  mutating func add(_ task: RunLoopTask, at now: Int64) {
    putInLine(task, at: now)
    setLimitAlarm(of: task, at: now)
  }

  /// Takes in a new task that is simple.
  @inline(__always)
  mutating func add(simple task: RunLoopTask) {
    task.position = takePosition()
    modes[Int(task.mode.index)].insert(.passRetained(task), into: List(task.timing))
  }

  /// Takes out a task that is pending.
  @inline(__always)
  mutating func remove(_ task: RunLoopTask) {
    leave(task)
    if !task.isSimple { removeLimitAlarm(of: task) }
  }

  /// Takes out all tasks.
  mutating func removeAll() -> [RunLoopTask] {
    let tasks = all
    for task in tasks { remove(task) }
    return tasks
  }

  /// Puts a task into the lists of its modes, in its place.
  @inline(__always)
  mutating func link(_ task: RunLoopTask) {
    let list = task.isOverdue ? .overdue : List(task.timing)
    task.forEachMode { modes[Int($0.index)].insert(.passRetained(task), into: list) }
  }

  @inline(__always)
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

  /// Changes the timing or the mode of a simple task that is in line.
  @inline(__always)
  mutating func change(simple task: RunLoopTask, in list: List, _ body: () -> Void) {
    let reference = modes[Int(task.mode.index)].remove(task, from: list)
    body()
    modes[Int(task.mode.index)].insert(reference, into: List(task.timing))
  }

  /// Gives a task a place behind all others and puts it in line. It gets no place before its delay has ended, and then
  /// waits with its place for the end of its interval. An overdue task waits for nothing.
  mutating func putInLine(_ task: RunLoopTask, at now: Int64) {
    if let options = task.options, options.delayEnd > now, !task.isOverdue {
      return wait(task, until: options.delayEnd)
    }
    task.position = takePosition()
    guard let options = task.options else { return link(task) }
    (options.delayEnd, options.readyPosition) = (.min, nil)
    takePlace(task, at: now)
  }

  /// Puts a task that has a place in line, unless it waits for its interval.
  mutating func takePlace(_ task: RunLoopTask, at now: Int64) {
    if let end = task.options?.intervalEnd, end > now, !task.isOverdue { wait(task, until: end) } else { link(task) }
  }

  mutating func wait(_ task: RunLoopTask, until date: Int64) {
    task.whereabouts = .waiting
    alarms.add(date, .wait(task))
    task.forEachMode { modes[Int($0.index)].waitingCount += 1 }
  }

  /// Puts a task whose wait has ended in line.
  mutating func endWait(of task: RunLoopTask, at now: Int64) {
    if task.hasPlace { endInterval(of: task) } else { putInLine(task, at: now) }
  }

  /// Puts a task whose interval has ended in line, in its place. Batches in progress do not run the task.
  mutating func endInterval(of task: RunLoopTask) {
    task.makeOptions().readyPosition = takePosition()
    link(task)
  }

  /// Takes a task out of line, or ends its waiting.
  @inline(__always)
  mutating func leave(_ task: RunLoopTask) {
    if case .inLine(let list) = task.whereabouts { unlink(task, from: list) } else { stopWaiting(task) }
  }

  @inline(never)
  private mutating func stopWaiting(_ task: RunLoopTask) {
    if let alarm = task.options?.waitAlarm { alarms.remove(at: alarm) }
    noteEndOfWait(of: task)
  }

  /// Notes that a task no longer waits, and that its alarm is gone.
  mutating func noteEndOfWait(of task: RunLoopTask) {
    task.whereabouts = .outside
    guard task.options?.waitAlarm.take() != nil else { return }
    task.forEachMode { modes[Int($0.index)].waitingCount -= 1 }
  }
}
