/// Tasks sorted by a key of their own, in an array.
///
/// A removed task leaves an empty entry behind, so that removing does not move the others. Empty entries at both ends are
/// dropped at once, those in the middle when they outnumber the tasks.
struct SortedTasks<Key: Comparable> {
  private struct Entry {
    let key: Key
    var task: RunLoopTask?
  }

  /// An array that has grown beyond this is given back when its last task goes.
  private static var largestSpareCapacity: Int { 1_024 }

  private var entries: ContiguousArray<Entry> = []
  /// The index of the first task; the entries before it are empty.
  private var head = 0
  /// How many entries have a task.
  private(set) var count = 0
  /// Where the search of the latest batch stands: it has refused every task from `head` up to here.
  private var cursor = 0
  private var cursorBatch: UInt64 = 0

  var isEmpty: Bool {
    @inline(__always) get { count == 0 }
  }

  var tasks: [RunLoopTask] { entries.compactMap(\.task) }

  @inline(__always)
  mutating func insert(_ task: consuming RunLoopTask, at key: Key) {
    count += 1
    if head > 32, 2 * head > entries.count { dropEmptyEntries() }
    let last = entries.count - 1
    guard last < 0 || entries[last].key < key else { return insertBeforeNewer(task, at: key) }
    entries.append(Entry(key: key, task: task))
  }

  @inline(never)
  private mutating func insertBeforeNewer(_ task: RunLoopTask, at key: Key) {
    var index = index(of: key)
    if index == head, head > 0 {
      head -= 1
      index = head
      entries[index] = Entry(key: key, task: task)
    } else {
      entries.insert(Entry(key: key, task: task), at: index)
      if index <= cursor { cursor += 1 }
    }
    // The search goes back only for a task that its batch may run.
    if index < cursor, task.readyPosition < cursorBatch { cursor = index }
  }

  @inline(__always)
  mutating func remove(at key: Key) -> RunLoopTask {
    count -= 1
    guard entries[entries.count - 1].key == key else { return removeFromTheMiddle(at: key) }
    let task = entries.removeLast().task!
    while entries.count > head, entries[entries.count - 1].task == nil { entries.removeLast() }
    if count == 0, entries.capacity > Self.largestSpareCapacity { removeAll() }
    return task
  }

  mutating func removeIfPresent(at key: Key) {
    let index = index(of: key)
    if index < entries.count, entries[index].key == key, entries[index].task != nil { _ = remove(at: key) }
  }

  @inline(never)
  private mutating func removeFromTheMiddle(at key: Key) -> RunLoopTask {
    let index = index(of: key)
    let task = entries[index].task.take()!
    if count == 0 {
      removeAll()
    } else if index == head {
      skipEmptyEntries()
    }
    if entries.count - head > 2 * count + 32 { dropEmptyEntries() }
    return task
  }

  @inline(__always)
  mutating func first(inBatch batch: UInt64, where isEligible: (RunLoopTask) -> Bool) -> Key? {
    if cursorBatch != batch { (cursorBatch, cursor) = (batch, head) }
    cursor = max(cursor, head)
    while cursor < entries.count {
      if let task = entries[cursor].task, isEligible(task) { return entries[cursor].key }
      cursor += 1
    }
    return nil
  }

  /// Takes out the first task that may run in a batch.
  @inline(__always)
  mutating func takeFirst(inBatch batch: UInt64) -> RunLoopTask? {
    if cursorBatch != batch { (cursorBatch, cursor) = (batch, head) }
    cursor = max(cursor, head)
    while cursor < entries.count {
      if let task = entries[cursor].task.take() {
        if task.readyPosition < batch {
          noteTaken()
          return task
        }
        entries[cursor].task = task
      }
      cursor += 1
    }
    return nil
  }

  /// Takes out the task whose key `first` has just returned.
  mutating func takeFirst() -> RunLoopTask {
    let task = entries[cursor].task.take()!
    noteTaken()
    return task
  }

  @inline(__always)
  private mutating func noteTaken() {
    count -= 1
    if count == 0 {
      removeAll()
    } else if cursor == head {
      skipEmptyEntries()
    }
  }

  /// The index of the first entry whose key is not less.
  private func index(of key: Key) -> Int {
    var range = head..<entries.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = entries[middle].key < key ? middle + 1..<range.upperBound : range.lowerBound..<middle
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
