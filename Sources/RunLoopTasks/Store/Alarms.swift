/// An event to come. It is told where its alarm is, so that the alarm can be removed without a search.
protocol AlarmEvent {
  func alarmHasMoved(to index: Int)
}

/// What ends at dates of the task clock, in nanoseconds: the earliest first, and of those with one date the one that
/// was added first.
///
/// A binary heap. An alarm is added and removed in O(log *n*) steps.
struct Alarms<Event: AlarmEvent> {
  private var heap: [(date: Int64, number: UInt64, event: Event)] = []
  private var nextNumber: UInt64 = 0
  /// The date of the earliest alarm, `.max` without one. It is kept here, because each call of a user compares it.
  private(set) var earliest = Int64.max

  /// The events, in their order.
  var all: [Event] { heap.inOrder { ($0.date, $0.number) }.map(\.event) }

  func date(at index: Int) -> Int64 { heap[index].date }

  mutating func add(_ date: Int64, _ event: Event) {
    heap.append((date, nextNumber, event))
    nextNumber += 1
    sift(heap.count - 1)
    earliest = heap[0].date
  }

  /// Removes the alarm at an index and returns its event.
  mutating func remove(at index: Int) -> Event {
    let last = heap.removeLast()
    defer { earliest = heap.isEmpty ? .max : heap[0].date }
    if index == heap.count { return last.event }
    let removed = heap[index]
    heap[index] = last
    sift(index)
    return removed.event
  }

  /// Removes the earliest alarm and returns its event, if its date is not after `date`.
  mutating func removeFirst(notAfter date: Int64) -> Event? {
    earliest <= date && !heap.isEmpty ? remove(at: 0) : nil
  }

  /// Moves the alarm at an index to where it belongs.
  private mutating func sift(_ start: Int) {
    var index = start
    while index > 0, isEarlier(index, (index - 1) / 2) { move(&index, to: (index - 1) / 2) }
    while let child = earlierChild(of: index), isEarlier(child, index) { move(&index, to: child) }
    heap[index].event.alarmHasMoved(to: index)
  }

  private mutating func move(_ index: inout Int, to other: Int) {
    heap.swapAt(index, other)
    heap[index].event.alarmHasMoved(to: index)
    index = other
  }

  private func earlierChild(of index: Int) -> Int? {
    let (one, other) = (2 * index + 1, 2 * index + 2)
    guard other < heap.count else { return one < heap.count ? one : nil }
    return isEarlier(other, one) ? other : one
  }

  private func isEarlier(_ one: Int, _ other: Int) -> Bool {
    (heap[one].date, heap[one].number) < (heap[other].date, heap[other].number)
  }
}
