import Foundation

/// The pending tasks of one timing and one set of modes, first in first out: a list through the tasks themselves.
///
/// Adding the newest task and removing any cost O(1). A task that is amended late is put in its place by a search.
///
/// Lanes are plain data of the loop's own thread. Like that of the tasks in them, the exclusivity of their variables is not
/// checked at run time, for speed: nothing here calls out, so no access can meet another.
final class Lane {
  let timing: RunLoopTask.Timing
  /// What owns the lane, and sets this as soon as it does. Unsafe for speed: who uses a lane without tasks holds its owner.
  @exclusivity(unchecked) unowned(unsafe) var owner: ModeSet?
  @exclusivity(unchecked) private(set) var head: RunLoopTask?
  // Unsafe for speed; both are in the list, or `nil`.
  @exclusivity(unchecked) private var tail: Unmanaged<RunLoopTask>?
  /// Stands where a task was last taken out of the middle: one that replaces it will often come to stand there.
  @exclusivity(unchecked) private unowned(unsafe) var finger: RunLoopTask?

  init(_ timing: RunLoopTask.Timing) { self.timing = timing }

  var modes: ModeSet { owner! }

  var isEmpty: Bool { head == nil }

  var tasks: [RunLoopTask] {
    Array(
      sequence(state: head) { next in
        defer { next = next?.next }
        return next
      })
  }

  /// Puts `task`, the newest of all, at the end.
  func append(_ task: RunLoopTask) {
    task.lane = self
    task.previous = tail
    if let tail { tail._withUnsafeGuaranteedRef { $0.next = task } } else { head = task }
    tail = Unmanaged.passUnretained(task)
  }

  /// Takes out the first task, if it may run in the batch that began at `batch` and nothing need be said of it.
  ///
  /// - Complexity: O(1), and no reference is counted.
  func takeFirst(inBatch batch: UInt64) -> RunLoopTask? {
    guard let order = head?.order, order < batch, head?.isMarked == false else { return nil }
    let task = head.take()!
    if finger === task { finger = nil }
    head = task.next.take()
    if head == nil { tail = nil } else { head?.previous = nil }
    task.lane = nil
    return task
  }

  /// Puts `task` into its place in line.
  ///
  /// - Complexity: O(1) for the newest or the oldest, otherwise O(distance to the nearer end, or to the finger if that is nearer).
  func insert(_ task: RunLoopTask) {
    var (fromTail, fromHead, fromFinger) = (tail?.takeUnretainedValue(), head, finger)
    while let newer = fromTail, newer.order > task.order, let older = fromHead, older.order < task.order {
      if let near = fromFinger {
        let next = near.order < task.order ? near.next : near.older
        if let next, (next.order < task.order) == (near.order < task.order) {
          fromFinger = next
        } else if near.order < task.order {
          return link(task, between: near, and: next)
        } else {
          return link(task, between: next, and: near)
        }
      }
      (fromTail, fromHead) = (newer.older, older.next)
    }
    // One of the searches from the ends is done.
    if let newer = fromTail, newer.order > task.order {
      link(task, between: fromHead?.older, and: fromHead)
    } else {
      link(task, between: fromTail, and: fromTail == nil ? head : fromTail?.next)
    }
  }

  /// Puts `task` into the place of `replaced`, which is in this lane.
  func insert(_ task: RunLoopTask, inPlaceOf replaced: RunLoopTask) {
    let (previous, next) = (replaced.older, replaced.next)
    remove(replaced)
    link(task, between: previous, and: next)
  }

  private func link(_ task: RunLoopTask, between previous: RunLoopTask?, and next: RunLoopTask?) {
    (task.lane, task.older, task.next) = (self, previous, next)
    if let previous { previous.next = task } else { head = task }
    if let next { next.older = task } else { tail = Unmanaged.passUnretained(task) }
  }

  func remove(_ task: RunLoopTask) {
    let (previous, next) = (task.older, task.next)
    if let next { next.older = previous } else { tail = previous.map(Unmanaged.passUnretained) }
    if let previous { previous.next = next } else { head = next }
    (task.lane, task.previous, task.next) = (nil, nil, nil)
    if finger === task { finger = nil }
    if previous != nil, next != nil { finger = next }
  }

  /// The first task in line that may run in the batch that began at `batch`, and was born before `birthLimit`.
  ///
  /// - Complexity: O(1), but for replacements that have to wait and stand before it.
  func first(inBatch batch: UInt64, bornBefore birthLimit: UInt64 = .max) -> RunLoopTask? {
    var candidate = head
    // No task is older than its place in line, so behind the limits there is nothing to find.
    while let task = candidate, task.order < min(batch, birthLimit) {
      guard task.isMarked else { return task }
      let mark = task.mark
      if mark.ready < batch, mark.birth < birthLimit { return task }
      candidate = task.next
    }
    return nil
  }
}
