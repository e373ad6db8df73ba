/// Tasks sorted by their rank, in an array.
///
/// A removed task leaves an empty entry behind, so that removing does not move the others. Empty entries at both ends
/// are dropped at once, those in the middle when they outnumber the tasks.
struct SortedTasks {
  private struct Entry {
    let rank: Rank
    var task: RunLoopTask?
  }

  /// The largest capacity that an empty array keeps.
  private static var largestSpareCapacity: Int { 1_024 }

  private var entries: ContiguousArray<Entry> = []
  /// The index of the first task; the entries before it are empty.
  private var head = 0
  /// How many entries have a task.
  private(set) var count = 0
  /// Where the search of the latest batch stands: it has refused every task from `head` up to here.
  private var cursor = 0
  private var cursorBatch: UInt64 = 0

  var isEmpty: Bool { count == 0 }

  var tasks: [RunLoopTask] { entries.compactMap(\.task) }

  mutating func insert(_ task: RunLoopTask) {
    count += 1
    if head > 32, 2 * head > entries.count { dropEmptyEntries() }
    let rank = task.rank
    if let last = entries.last, last.rank > rank {
      insertInTheMiddle(task, at: rank)
    } else {
      entries.append(Entry(rank: rank, task: task))
    }
  }

  private mutating func insertInTheMiddle(_ task: RunLoopTask, at rank: Rank) {
    var index = index(of: rank)
    if index > 0, entries[index - 1].task == nil { index -= 1 }
    if entries[index].task == nil {
      entries[index] = Entry(rank: rank, task: task)
      head = min(head, index)
    } else {
      entries.insert(Entry(rank: rank, task: task), at: index)
      if index <= cursor { cursor += 1 }
    }
    // The search goes back only for a task that its batch may run.
    if index < cursor, task.readyPosition < cursorBatch { cursor = index }
  }

  mutating func remove(at rank: Rank) -> RunLoopTask {
    count -= 1
    guard entries[entries.count - 1].rank == rank else { return removeFromTheMiddle(at: rank) }
    let task = entries.removeLast().task!
    while entries.count > head, entries[entries.count - 1].task == nil { entries.removeLast() }
    cursor = min(cursor, entries.count)
    if count == 0, entries.capacity > Self.largestSpareCapacity { removeAll() }
    return task
  }

  mutating func removeIfPresent(at rank: Rank) {
    let index = index(of: rank)
    if index < entries.count, entries[index].rank == rank, entries[index].task != nil { _ = remove(at: rank) }
  }

  private mutating func removeFromTheMiddle(at rank: Rank) -> RunLoopTask {
    let index = index(of: rank)
    let task = entries[index].task.take()!
    if count == 0 {
      removeAll()
    } else if index == head {
      skipEmptyEntries()
    }
    if entries.count - head > 2 * count + 32 { dropEmptyEntries() }
    return task
  }

  /// The rank of the first task that `isEligible` accepts.
  mutating func first(inBatch batch: UInt64, where isEligible: (RunLoopTask) -> Bool) -> Rank? {
    if cursorBatch != batch { (cursorBatch, cursor) = (batch, head) }
    cursor = max(cursor, head)
    while cursor < entries.count {
      if let task = entries[cursor].task, isEligible(task) { return entries[cursor].rank }
      cursor += 1
    }
    return nil
  }

  /// Takes out the task whose rank `first` has just returned.
  mutating func takeFirst() -> RunLoopTask {
    let task = entries[cursor].task.take()!
    count -= 1
    if count == 0 {
      removeAll()
    } else if cursor == head {
      skipEmptyEntries()
    }
    return task
  }

  /// The index of the first entry whose rank is not less.
  private func index(of rank: Rank) -> Int {
    var range = head..<entries.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = entries[middle].rank < rank ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  private mutating func skipEmptyEntries() {
    while entries[head].task == nil { head += 1 }
  }

  private mutating func dropEmptyEntries() {
    entries.removeAll { $0.task == nil }
    (head, cursor, cursorBatch) = (0, 0, 0)
  }

  private mutating func removeAll() {
    if entries.capacity <= Self.largestSpareCapacity { entries.removeLast(entries.count) } else { entries = [] }
    (head, cursor) = (0, 0)
  }
}
