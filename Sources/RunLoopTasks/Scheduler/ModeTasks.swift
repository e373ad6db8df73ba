/// The number that the scheduler gives to a mode of the loop.
struct ModeID: Hashable {
  let index: UInt16

  static let `default` = ModeID(index: 0)
  /// The common modes.
  static let common = ModeID(index: 1)
  /// Stands for the modes that a task's options name.
  static let several = ModeID(index: .max)
}

/// The pending tasks of one mode: a list for each timing, and one for the tasks whose limit has passed.
struct ModeTasks {
  /// How many tasks wait for their time.
  var waitingCount = 0
  /// When a run of the mode was last left, on the scale of positions.
  var exit: UInt64 = 0
  /// Which lists have tasks, in line.
  private(set) var filled: ListSet = []

  private var nextLoopBegan = TaskList()
  private var currentLoopEnded = TaskList()
  private var idle = TaskList()
  private var overdue = TaskList()

  /// Whether tasks are pending, in line or waiting for their time.
  var isEmpty: Bool {
    @inline(__always) get { filled.isEmpty && waitingCount == 0 }
  }

  /// The tasks in line, list by list.
  var tasks: [RunLoopTask] { [nextLoopBegan, currentLoopEnded, idle, overdue].flatMap(\.tasks) }

  /// Puts a task into its list, which takes over the reference.
  @inline(__always)
  mutating func insert(_ reference: TaskReference) {
    with(reference.withUnretained { $0.list }) { $0.insert(reference) }
  }

  /// Takes a task out of its list, and hands over the reference that the list had.
  @inline(__always)
  mutating func remove(_ task: RunLoopTask) -> TaskReference {
    with(task.list) { $0.remove(task) }
  }

  /// Takes out a task unless it was taken out already.
  mutating func removeIfPresent(_ task: RunLoopTask) {
    with(task.list) { $0.removeIfPresent(task) }
  }

  /// Takes out the first task of a list that may run in a batch.
  @inline(__always)
  mutating func takeFirst(in list: List, inBatch batch: UInt64) -> TaskReference? {
    with(list) { $0.takeFirst(inBatch: batch) }
  }

  /// The first task in the lists that `isEligible` accepts.
  mutating func first(
    in lists: ListSet, inBatch batch: UInt64, where isEligible: (RunLoopTask) -> Bool
  ) -> (rank: Rank, list: List)? {
    var first: (rank: Rank, list: List)?
    for list in List.allCases where lists.intersection(filled).contains(list.asSet) {
      let rank = with(list) { $0.first(inBatch: batch, where: isEligible) }
      if let rank, first.map({ rank < $0.rank }) ?? true { first = (rank, list) }
    }
    return first
  }

  /// Takes out the task that `first` has just returned.
  mutating func take(_ first: (rank: Rank, list: List)) -> TaskReference {
    with(first.list) { $0.takeFirst(first.rank) }
  }

  @inline(__always)
  private mutating func with<Result>(_ list: List, _ body: (inout TaskList) -> Result) -> Result {
    let (result, isEmpty) =
      switch list {
      case .nextLoopBegan: (body(&nextLoopBegan), nextLoopBegan.isEmpty)
      case .currentLoopEnded: (body(&currentLoopEnded), currentLoopEnded.isEmpty)
      case .idle: (body(&idle), idle.isEmpty)
      case .overdue: (body(&overdue), overdue.isEmpty)
      }
    if isEmpty { filled.subtract(list.asSet) } else { filled.formUnion(list.asSet) }
    return result
  }
}
