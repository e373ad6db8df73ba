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
  var all: [RunLoopTask] { ListID.allCases.flatMap { self[$0].tasks } }

  private subscript(list: ListID) -> TaskList {
    switch list {
    case .nextLoopBegan: nextLoopBegan
    case .currentLoopEnded: currentLoopEnded
    case .idle: idle
    case .overdue: overdue
    }
  }

  /// Puts a task into a list, which takes over the reference.
  mutating func insert(_ reference: TaskReference, into list: ListID) {
    reference.withUnretained { $0.whereabouts = .inLine(list) }
    with(list) { $0.insert(reference) }
  }

  /// Takes a task out of its list, and hands over the reference that the list had.
  mutating func remove(_ task: RunLoopTask, from list: ListID) -> TaskReference { with(list) { $0.remove(task) } }

  /// The first task of some lists that a batch may run.
  mutating func first(in lists: ListSet, of batch: Batch) -> RunLoopTask? {
    var first: RunLoopTask?
    for list in ListID.allCases where lists.intersection(filled).contains(ListSet(list)) {
      first = .first(first, with(list) { $0.first(before: batch.end(of: list)) })
    }
    return first
  }

  /// Takes out the first task of a list that a batch may run.
  mutating func takeFirst(in list: ListID, of batch: Batch) -> TaskReference? {
    with(list) { $0.takeFirst(before: batch.end(of: list)) }
  }

  private mutating func with<Result>(_ list: ListID, _ body: (inout TaskList) -> Result) -> Result {
    let (result, isEmpty) =
      switch list {
      case .nextLoopBegan: (body(&nextLoopBegan), nextLoopBegan.isEmpty)
      case .currentLoopEnded: (body(&currentLoopEnded), currentLoopEnded.isEmpty)
      case .idle: (body(&idle), idle.isEmpty)
      case .overdue: (body(&overdue), overdue.isEmpty)
      }
    if isEmpty { filled.subtract(ListSet(list)) } else { filled.formUnion(ListSet(list)) }
    return result
  }
}
