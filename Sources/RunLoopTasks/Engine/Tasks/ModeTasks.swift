/// The number that the scheduler gives to a mode of the loop.
struct ModeID: Hashable {
  let index: UInt32

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
  /// The position that was taken when a run of the mode was last left. The tasks for `.nextLoopBegan` before it are due
  /// at the `entry` of the mode's next run, too.
  var lastExit: UInt64 = 0
  /// Which lists have tasks, in line.
  private(set) var filled: ListSet = []

  private var nextLoopBegan = TaskList()
  private var currentLoopEnded = TaskList()
  private var idle = TaskList()
  private var overdue = TaskList()

  /// No tasks are pending, neither in line nor waiting for their time.
  var isEmpty: Bool { filled.isEmpty && waitingCount == 0 }

  /// The tasks in line, list by list.
  var all: [RunLoopTask] { [nextLoopBegan, currentLoopEnded, idle, overdue].flatMap(\.tasks) }

  /// Puts a task into a list, which takes over the reference.
  mutating func insert(_ reference: TaskReference, into list: ListSet) {
    reference.withUnretained { $0.whereabouts = .inLine(list) }
    with(list) { $0.insert(reference) }
  }

  /// Takes a task out of its list, and hands over the reference that the list had.
  mutating func remove(_ task: RunLoopTask, from list: ListSet) -> TaskReference { with(list) { $0.remove(task) } }

  /// The first task of some lists that a batch may run.
  mutating func first(in lists: ListSet, of batch: Batch) -> RunLoopTask? {
    var first: RunLoopTask?
    for list: ListSet in [.nextLoopBegan, .currentLoopEnded, .idle, .overdue]
    where lists.intersection(filled).contains(list) {
      first = .first(first, with(list) { $0.first(before: batch.end(of: list)) })
    }
    return first
  }

  /// Takes out the first task of a list that a batch may run.
  mutating func takeFirst(in list: ListSet, of batch: Batch) -> TaskReference? {
    with(list) { $0.takeFirst(before: batch.end(of: list)) }
  }

  private mutating func with<Result>(_ list: ListSet, _ body: (inout TaskList) -> Result) -> Result {
    assert(list.isSingle)
    let (result, isEmpty) =
      switch list {
      case .nextLoopBegan: (body(&nextLoopBegan), nextLoopBegan.isEmpty)
      case .currentLoopEnded: (body(&currentLoopEnded), currentLoopEnded.isEmpty)
      case .idle: (body(&idle), idle.isEmpty)
      default: (body(&overdue), overdue.isEmpty)
      }
    if isEmpty { filled.subtract(list) } else { filled.formUnion(list) }
    return result
  }
}

/// Some of the lists that each mode has, often a single one.
struct ListSet: OptionSet {
  let rawValue: UInt8

  static var nextLoopBegan: ListSet { ListSet(rawValue: 1) }
  static var currentLoopEnded: ListSet { ListSet(rawValue: 2) }
  static var idle: ListSet { ListSet(rawValue: 4) }
  /// Tasks of any timing whose limit has passed.
  static var overdue: ListSet { ListSet(rawValue: 8) }
  static var all: ListSet { ListSet(rawValue: 15) }

  var isSingle: Bool { rawValue.nonzeroBitCount == 1 }
}

extension ListSet {
  /// The list of the tasks with a timing.
  init(_ timing: RunLoopTask.Timing) {
    switch timing {
    case .nextLoopBegan: self = .nextLoopBegan
    case .currentLoopEnded: self = .currentLoopEnded
    case .idle: self = .idle
    }
  }
}
