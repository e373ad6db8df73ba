/// A mode of the loop, as a number that the scheduler gives it.
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
  /// How many tasks are pending, in line or waiting for their time.
  var count = 0
  /// How many of them wait for their time.
  var waitingCount = 0
  /// The next position when a run of the mode was last left.
  var exit: UInt64 = 0
  /// Which lists have tasks.
  private(set) var filled: ListSet = []

  private var nextLoopBegan = TaskList()
  private var currentLoopEnded = TaskList()
  private var idle = TaskList()
  private var overdue = TaskList()

  /// The tasks in line, list by list.
  var tasks: [RunLoopTask] { [nextLoopBegan, currentLoopEnded, idle, overdue].flatMap(\.tasks) }

  /// Puts a task into its list.
  @inline(__always)
  mutating func insert(_ task: consuming RunLoopTask) {
    let list = task.list
    filled.formUnion(list.asSet)
    self[list].insert(task)
  }

  /// Takes a task out of its list, and returns the reference that the list had.
  @inline(__always)
  @discardableResult
  mutating func remove(_ task: RunLoopTask) -> RunLoopTask {
    let list = task.list
    defer { if self[list].isEmpty { filled.subtract(list.asSet) } }
    return self[list].remove(task)
  }

  /// Takes out a task unless it was taken out already.
  mutating func removeIfPresent(_ task: RunLoopTask) {
    self[task.list].removeIfPresent(task)
    if self[task.list].isEmpty { filled.subtract(task.list.asSet) }
  }

  /// Takes out the first task of a list that may run in a batch.
  @inline(__always)
  mutating func takeFirst(in list: List, inBatch batch: UInt64) -> RunLoopTask? {
    defer { if self[list].isEmpty { filled.subtract(list.asSet) } }
    return self[list].takeFirst(inBatch: batch)
  }

  /// The first of some lists' tasks that `isEligible` accepts.
  mutating func first(
    in lists: ListSet, inBatch batch: UInt64, where isEligible: (RunLoopTask) -> Bool
  ) -> (rank: Rank, list: List)? {
    var first: (rank: Rank, list: List)?
    for list in List.allCases where lists.intersection(filled).contains(list.asSet) {
      let rank = self[list].first(inBatch: batch, where: isEligible)
      if let rank, first.map({ rank < $0.rank }) ?? true { first = (rank, list) }
    }
    return first
  }

  /// Takes out what `first` has just returned.
  mutating func take(_ first: (rank: Rank, list: List)) -> RunLoopTask {
    defer { if self[first.list].isEmpty { filled.subtract(first.list.asSet) } }
    return self[first.list].takeFirst(first.rank)
  }

  private subscript(list: List) -> TaskList {
    @inline(__always) get {
      switch list {
      case .nextLoopBegan: nextLoopBegan
      case .currentLoopEnded: currentLoopEnded
      case .idle: idle
      case .overdue: overdue
      }
    }
    // In place: a setter would copy the list.
    @inline(__always) _modify {
      switch list {
      case .nextLoopBegan: yield &nextLoopBegan
      case .currentLoopEnded: yield &currentLoopEnded
      case .idle: yield &idle
      case .overdue: yield &overdue
      }
    }
  }
}
