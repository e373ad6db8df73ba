/// The neighbors of a task in a list.
struct TaskLinks {
  fileprivate var next: TaskReference?
  fileprivate var previous: TaskReference?
}

/// The tasks of one of a mode's lists, in the order in which they run.
///
/// Nearly every task comes in behind all others of its list. Such tasks form a linked list, which needs no further
/// memory. In it, the tasks that a batch may not run are behind those that it may run. Few tasks come into the middle
/// or have an order or several modes. They are in a sorted tree.
struct TaskList {
  /// The ends of the linked tasks. The list owns a reference to each of them.
  private var first: TaskReference?
  private var last: TaskReference?
  private var sorted = SortedTree<TaskReference>()

  var isEmpty: Bool { first == nil && sorted.isEmpty }

  /// The tasks, in no particular order.
  var tasks: [RunLoopTask] {
    let linked = first.map { Array(sequence(first: $0) { $0.withUnretained { $0.links.next } }) } ?? []
    return (linked + sorted.elements).map { $0.takeUnretainedValue() }
  }

  /// Puts a task into the place that its rank determines. The list takes over the reference.
  ///
  /// - Complexity: O(1) for a task without an order or several modes that comes in behind all others; otherwise O(log
  ///   *n*).
  @inline(__always)
  mutating func insert(_ reference: TaskReference) {
    let end = last.map { $0.withUnretained { $0.position } } ?? 0
    guard reference.withUnretained({ $0.isInOrder && end < $0.position }) else { return insertIntoTree(reference) }
    reference.withUnretained { $0.links = TaskLinks(next: nil, previous: last) }
    if let last { last.withUnretained { $0.links.next = reference } } else { first = reference }
    last = reference
  }

  @inline(never)
  private mutating func insertIntoTree(_ reference: TaskReference) {
    sorted.insert(reference, at: reference.withUnretained { $0.rank })
  }

  /// Takes out a task and returns the list's reference. The rank must be the one with which the task was inserted.
  ///
  /// - Complexity: O(1) for a linked task; otherwise O(log *n*).
  mutating func remove(_ task: RunLoopTask) -> TaskReference {
    let reference = TaskReference.passUnretained(task)
    let isLinked = task.links.previous != nil || first?.toOpaque() == reference.toOpaque()
    guard isLinked else { return sorted.remove(at: task.rank) }
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
  /// - Complexity: O(log *n*).
  func first(before end: UInt64) -> RunLoopTask? {
    let linked = first.flatMap { $0.withUnretained { $0.position < end ? $0 : nil } }
    return .first(linked, sorted.first(before: end)?.takeUnretainedValue())
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
