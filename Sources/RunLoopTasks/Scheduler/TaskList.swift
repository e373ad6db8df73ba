/// The place of a task in line: tasks with a lower order come first, and the older one comes first among equals.
struct Rank: Comparable {
  let order: Int
  let position: UInt64

  static func < (one: Rank, other: Rank) -> Bool {
    one.order == other.order ? one.position < other.position : one.order < other.order
  }
}

/// The pending tasks of one timing in one mode, in the order in which they run.
///
/// Almost all tasks have the order 0, and their positions only grow. They are kept apart, so that their entries are small.
struct TaskList {
  private var usual = SortedTasks<UInt64>()
  private var ordered = SortedTasks<Rank>()

  var isEmpty: Bool { usual.isEmpty && ordered.isEmpty }

  /// The tasks, in no particular order.
  var tasks: [RunLoopTask] { usual.tasks + ordered.tasks }

  /// Puts a task into the place that its order and position name.
  ///
  /// - Complexity: O(1) for the newest task; otherwise O(log *n*) comparisons, and one move of the entries behind it.
  @inline(__always)
  mutating func insert(_ task: consuming RunLoopTask) {
    if task.options == nil {
      usual.insert(task, at: task.position)
    } else {
      insertWithOptions(task)
    }
  }

  @inline(never)
  private mutating func insertWithOptions(_ task: consuming RunLoopTask) {
    if task.order == 0 { usual.insert(task, at: task.position) } else { ordered.insert(task, at: task.rank) }
  }

  /// Takes out a task, and returns the reference that the list had. Its order and position must be those with which it was inserted.
  ///
  /// - Complexity: O(log *n*), and O(1) for the newest or the first task.
  @inline(__always)
  mutating func remove(_ task: RunLoopTask) -> RunLoopTask {
    task.order == 0 ? usual.remove(at: task.position) : ordered.remove(at: task.rank)
  }

  /// Takes out a task unless it is out already.
  mutating func removeIfPresent(_ task: RunLoopTask) {
    if task.order == 0 { usual.removeIfPresent(at: task.position) } else { ordered.removeIfPresent(at: task.rank) }
  }

  /// The rank of the first task that `isEligible` accepts.
  ///
  /// - Parameters:
  ///   - batch: a number of its own for each batch of tasks. Within a batch, a task that was refused is not asked about again.
  ///   - isEligible: whether a task may run in this batch.
  /// - Complexity: O(1) amortized over a batch.
  mutating func first(inBatch batch: UInt64, where isEligible: (RunLoopTask) -> Bool) -> Rank? {
    if ordered.isEmpty { return usual.first(inBatch: batch, where: isEligible).map { Rank(order: 0, position: $0) } }
    let special = ordered.first(inBatch: batch, where: isEligible)
    if let special, special.order < 0 { return special }
    return usual.first(inBatch: batch, where: isEligible).map { Rank(order: 0, position: $0) } ?? special
  }

  /// Takes out the first task that may run in a batch.
  @inline(__always)
  mutating func takeFirst(inBatch batch: UInt64) -> RunLoopTask? {
    if ordered.isEmpty { return usual.takeFirst(inBatch: batch) }
    return first(inBatch: batch) { $0.readyPosition < batch }.map { takeFirst($0) }
  }

  /// Takes out the task whose rank `first` has just returned.
  mutating func takeFirst(_ rank: Rank) -> RunLoopTask {
    rank.order == 0 ? usual.takeFirst() : ordered.takeFirst()
  }
}
