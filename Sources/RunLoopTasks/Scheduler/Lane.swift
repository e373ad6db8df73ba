import Foundation

/// The pending tasks of one timing and one set of modes, first in first out: a list through the tasks themselves.
///
/// Adding the newest task and removing any cost O(1). A task that is amended late is put in its place by a search.
///
/// Lanes are plain data of the loop's own thread. Like that of the tasks in them, the exclusivity of their variables is not
/// checked at run time, for speed: nothing here calls out, so no access can meet another. For speed, too, references are not
/// counted while the list is followed or changed: a lane retains a task when it takes it in, and releases it when it lets it go.
final class Lane {
  let timing: RunLoopTask.Timing
  /// What owns the lane, and sets this as soon as it does. Who uses a lane without tasks holds its owner.
  @exclusivity(unchecked) var owner: Unmanaged<ModeSet>?
  @exclusivity(unchecked) private var head: Unmanaged<RunLoopTask>?
  @exclusivity(unchecked) private var tail: Unmanaged<RunLoopTask>?
  /// Stands where a task was last taken out of the middle: one that replaces it will often come to stand there.
  @exclusivity(unchecked) private var finger: Unmanaged<RunLoopTask>?

  init(_ timing: RunLoopTask.Timing) { self.timing = timing }

  var modes: ModeSet { owner!.takeUnretainedValue() }

  /// Calls `body` with those; no reference is counted.
  @inline(__always)
  func withModes<Result>(_ body: (ModeSet) -> Result) -> Result { owner!.borrow(body) }

  var isEmpty: Bool { head == nil }

  var tasks: [RunLoopTask] {
    Array(
      sequence(state: first) { next in
        defer { next = next?.newer }
        return next
      })
  }

  private var first: RunLoopTask? { head?.takeUnretainedValue() }
  private var last: RunLoopTask? { tail?.takeUnretainedValue() }

  /// Puts `task`, newer than all others here, at the end.
  func append(_ task: RunLoopTask) {
    let new = Unmanaged.passRetained(task)
    task.lane = self
    task.previous = tail
    if let tail { tail.borrow { $0.next = new } } else { head = new }
    tail = new
  }

  /// Takes out the first task, if it may run in the batch that began at `batch` and has no mark.
  ///
  /// - Complexity: O(1), and no reference is counted.
  func takeFirst(inBatch batch: UInt64) -> RunLoopTask? {
    guard let first = head, first.borrow({ $0.order < batch && !$0.isMarked }) else { return nil }
    let task = first.takeRetainedValue()
    if finger?.toOpaque() == first.toOpaque() { finger = nil }
    head = task.next
    if let head { head.borrow { $0.previous = nil } } else { tail = nil }
    (task.lane, task.next) = (nil, nil)
    return task
  }

  /// Puts `task` into its place in line.
  ///
  /// - Complexity: O(1) for the newest or the oldest, otherwise O(distance to the nearer end, or to the finger if that is nearer).
  func insert(_ task: RunLoopTask) {
    let order = task.order
    guard let tail, tail.borrow({ $0.order > order }) else { return append(task) }
    var (fromTail, fromHead, fromFinger) = (last, first, finger?.takeUnretainedValue())
    while let newer = fromTail, newer.order > task.order, let older = fromHead, older.order < task.order {
      if let near = fromFinger {
        let next = near.order < task.order ? near.newer : near.older
        if let next, (next.order < task.order) == (near.order < task.order) {
          fromFinger = next
        } else if near.order < task.order {
          return link(task, between: near, and: next)
        } else {
          return link(task, between: next, and: near)
        }
      }
      (fromTail, fromHead) = (newer.older, older.newer)
    }
    // One of the searches from the ends is done.
    if let newer = fromTail, newer.order > task.order {
      link(task, between: fromHead?.older, and: fromHead)
    } else {
      link(task, between: fromTail, and: fromTail?.newer)
    }
  }

  /// Puts `task` into the place of `replaced`, which is in this lane.
  func insert(_ task: RunLoopTask, inPlaceOf replaced: RunLoopTask) {
    let (previous, next) = (replaced.older, replaced.newer)
    remove(replaced)
    link(task, between: previous, and: next)
  }

  private func link(_ task: RunLoopTask, between previous: RunLoopTask?, and next: RunLoopTask?) {
    let new = Unmanaged.passRetained(task)
    task.lane = self
    (task.previous, task.next) = (previous.map(Unmanaged.passUnretained), next.map(Unmanaged.passUnretained))
    if let previous { previous.next = new } else { head = new }
    if let next { next.previous = new } else { tail = new }
  }

  /// Takes out `task`, which the caller holds.
  func remove(_ task: RunLoopTask) {
    let (this, previous, next) = (Unmanaged.passUnretained(task), task.previous, task.next)
    if let next { next.borrow { $0.previous = previous } } else { tail = previous }
    if let previous { previous.borrow { $0.next = next } } else { head = next }
    (task.lane, task.previous, task.next) = (nil, nil, nil)
    if finger?.toOpaque() == this.toOpaque() { finger = nil }
    if previous != nil, next != nil { finger = next }
    this.release()
  }

  /// The first task in line that may run in the batch that began at `batch`, and was born before `birthLimit`.
  ///
  /// - Complexity: O(1), but for replacements that have to wait and stand before it.
  func first(inBatch batch: UInt64, bornBefore birthLimit: UInt64 = .max) -> RunLoopTask? {
    // No task is older than its place in line, so behind the limits there is nothing to find.
    let limit = min(batch, birthLimit)
    var candidate = first
    while let task = candidate, task.order < limit {
      guard task.isMarked else { return task }
      let mark = task.mark
      if mark.ready < batch, mark.birth < birthLimit { return task }
      candidate = task.newer
    }
    return nil
  }
}
