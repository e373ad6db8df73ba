/// The place of a task in line: tasks with a lower order come first, and the older one comes first among equals.
/// No two tasks have the same position.
typealias Rank = (order: Int, position: UInt64)

/// The neighbors of a task in a list.
struct TaskLinks {
  fileprivate var next: TaskReference?
  fileprivate var previous: TaskReference?
}

/// The tasks of one of a mode's lists, in the order in which they run.
///
/// Nearly every task comes in behind all others of its list. Such tasks form a linked list, which needs no further
/// memory. In it, the tasks that a batch may not run are behind those that it may run. Few tasks come into the middle
/// or have an order or several modes. They are in a sorted array.
struct TaskList {
  /// The ends of the linked tasks. The list owns a reference to each of them.
  private var first: TaskReference?
  private var last: TaskReference?
  /// A slice, whose first element is removed without a move of the others.
  private var sorted: ArraySlice<TaskReference> = []

  var isEmpty: Bool { first == nil && sorted.isEmpty }

  /// The tasks, in no particular order.
  var tasks: [RunLoopTask] {
    let linked = first.map { Array(sequence(first: $0) { $0.withUnretained { $0.links.next } }) } ?? []
    return (linked + sorted).map { $0.takeUnretainedValue() }
  }

  /// Puts a task into the place that its rank determines. The list takes over the reference.
  ///
  /// - Complexity: O(1) for a task without an order or several modes that comes in behind all others; otherwise O(log
  ///   *n*), and O(*n*) if it comes in before others that have one of these.
  @inline(__always)
  mutating func insert(_ reference: TaskReference) {
    let end = last.map { $0.withUnretained { $0.position } } ?? 0
    guard reference.withUnretained({ $0.isInOrder && end < $0.position }) else { return insertByRank(reference) }
    reference.withUnretained { $0.links = TaskLinks(next: nil, previous: last) }
    if let last { last.withUnretained { $0.links.next = reference } } else { first = reference }
    last = reference
  }

  @inline(never)
  private mutating func insertByRank(_ reference: TaskReference) {
    sorted.insert(reference, at: index(of: reference.withUnretained { $0.rank }))
  }

  /// The index of the first sorted task that does not come before a rank.
  private func index(of rank: Rank) -> Int {
    var (start, end) = (sorted.startIndex, sorted.endIndex)
    while start < end {
      let middle = (start + end) / 2
      if sorted[middle].withUnretained({ $0.rank }) < rank { start = middle + 1 } else { end = middle }
    }
    return start
  }

  /// Takes out a task and returns the list's reference. The rank must be the one with which the task was inserted.
  ///
  /// - Complexity: O(1) for a linked task; otherwise O(log *n*), and O(*n*) if it is not the first one.
  mutating func remove(_ task: RunLoopTask) -> TaskReference {
    let reference = TaskReference.passUnretained(task)
    let isLinked = task.links.previous != nil || first?.toOpaque() == reference.toOpaque()
    guard isLinked else {
      let index = index(of: task.rank)
      return index == sorted.startIndex ? sorted.removeFirst() : sorted.remove(at: index)
    }
    unlink(reference)
    return reference
  }

  private mutating func unlink(_ reference: TaskReference) {
    let links = reference.withUnretained { exchange(&$0.links, with: TaskLinks()) }
    if let next = links.next {
      next.withUnretained { $0.links.previous = links.previous }
    } else {
      last = links.previous
    }
    if let previous = links.previous {
      previous.withUnretained { $0.links.next = links.next }
    } else {
      first = links.next
    }
  }

  // MARK: Batches

  // A batch runs only tasks that stand before some position.

  /// The first task that stands before a position.
  ///
  /// - Complexity: O(*n*) in the number of sorted tasks that the batch under way has scheduled.
  func first(before end: UInt64) -> RunLoopTask? {
    let linked = first.flatMap { $0.withUnretained { $0.position < end ? $0 : nil } }
    return .first(linked, sorted.first { $0.withUnretained { $0.position < end } }?.takeUnretainedValue())
  }

  /// Takes out the first task that stands before a position, if all tasks are linked, and hands over the reference that
  /// the list had.
  mutating func takeFirst(before end: UInt64) -> TaskReference? {
    guard sorted.isEmpty, let first, first.withUnretained({ $0.position }) < end else { return nil }
    unlink(first)
    return first
  }
}

/// A task whose references are not counted by the compiler: `TaskList` does that.
typealias TaskReference = Unmanaged<RunLoopTask>

extension Unmanaged {
  /// Calls `body` with the object without counting a reference.
  ///
  /// The caller must ensure that something else keeps the object alive during the call. Each task and each pass calls
  /// this, and counting a reference would cost as much as the rest of the step.
  func withUnretained<Result>(_ body: (Instance) -> Result) -> Result { _withUnsafeGuaranteedRef(body) }
}
