/// The number that the scheduler gives to a mode of the loop.
struct ModeID: Hashable {
  let index: UInt16

  static let `default` = ModeID(index: 0)
  /// The common modes.
  static let common = ModeID(index: 1)
  /// Stands for the modes that a task's options name.
  static let several = ModeID(index: .max)
}

/// The pending tasks of one mode, in lists.
struct ModeTasks {
  /// How many tasks wait for their time.
  var waitingCount = 0
  /// When a run of the mode was last left, on the scale of positions.
  var exit: UInt64 = 0
  /// Which lists have tasks, in line.
  private(set) var filled: ListSet = []

  private var fresh = TaskList()
  private var leftBehind = TaskList()
  private var currentLoopEnded = TaskList()
  private var idle = TaskList()
  private var overdue = TaskList()

  /// Whether tasks are pending, in line or waiting for their time.
  var isEmpty: Bool {
    @inline(__always) get { filled.isEmpty && waitingCount == 0 }
  }

  /// The tasks in line, list by list.
  var tasks: [RunLoopTask] { [fresh, leftBehind, currentLoopEnded, idle, overdue].flatMap(\.tasks) }

  /// Puts a task into a list, which takes over the reference.
  @inline(__always)
  mutating func insert(_ reference: TaskReference, into list: List) { with(list) { $0.insert(reference) } }

  /// Takes a task out of its list, and hands over the reference that the list had.
  @inline(__always)
  mutating func remove(_ task: RunLoopTask, from list: List) -> TaskReference { with(list) { $0.remove(task) } }

  /// Puts a task that has only this mode, and no options, into its list.
  @inline(__always)
  mutating func insert(simple reference: TaskReference) {
    let list = reference.withUnretained { task in
      let wasLeftBehind = task.timing == .nextLoopBegan && task.position < exit
      let list = wasLeftBehind ? List.leftBehind : List(task.timing)
      task.whereabouts = .inLine(list)
      return list
    }
    insert(reference, into: list)
  }

  /// Changes the timing of a task that has only this mode, and no options.
  @inline(__always)
  mutating func setTiming(ofSimple task: RunLoopTask, in list: List, to timing: RunLoopTask.Timing) {
    let reference = remove(task, from: list)
    task.timing = timing
    insert(simple: reference)
  }

  /// The first task of some lists that a batch may run.
  mutating func first(in lists: ListSet, inBatch batch: UInt64) -> RunLoopTask? {
    var first: RunLoopTask?
    for list in List.allCases where lists.intersection(filled).contains(list.asSet) {
      let task = with(list) { $0.first(inBatch: batch) }
      if let task, first.map({ task.rank < $0.rank }) ?? true { first = task }
    }
    return first
  }

  /// Takes out the first task of a list that a batch may run.
  @inline(__always)
  mutating func takeFirst(in list: List, inBatch batch: UInt64) -> TaskReference? {
    with(list) { $0.takeFirst(inBatch: batch) }
  }

  /// Moves the fresh tasks to those that were left behind, except for those that are in a tree.
  ///
  /// - Returns: the tasks in the tree.
  mutating func leaveBehindLinkedTasks() -> [RunLoopTask] {
    for task in fresh.linkedTasks { task.whereabouts = .inLine(.leftBehind) }
    fresh.moveLinkedTasks(to: &leftBehind)
    with(.fresh) { _ in }
    with(.leftBehind) { _ in }
    return fresh.sortedTasks
  }

  @inline(__always)
  private mutating func with<Result>(_ list: List, _ body: (inout TaskList) -> Result) -> Result {
    let (result, isEmpty) =
      switch list {
      case .fresh: (body(&fresh), fresh.isEmpty)
      case .leftBehind: (body(&leftBehind), leftBehind.isEmpty)
      case .currentLoopEnded: (body(&currentLoopEnded), currentLoopEnded.isEmpty)
      case .idle: (body(&idle), idle.isEmpty)
      case .overdue: (body(&overdue), overdue.isEmpty)
      }
    if isEmpty { filled.subtract(list.asSet) } else { filled.formUnion(list.asSet) }
    return result
  }
}
