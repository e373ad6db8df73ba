import Foundation

/// The pending tasks of one timing and one set of modes, first in first out: a list through the tasks themselves.
///
/// Adding and removing cost O(1). A task that is amended late comes in out of order; the lane is then sorted when its next
/// batch is due, and not before.
///
/// Lanes are plain data of the loop's own thread.
final class Lane {
  let timing: RunLoopTask.Timing
  unowned let modes: ModeSet
  private(set) var head: RunLoopTask?
  private unowned var tail: RunLoopTask?
  private var isSorted = true

  init(_ timing: RunLoopTask.Timing, _ modes: ModeSet) {
    self.timing = timing
    self.modes = modes
  }

  var isEmpty: Bool { head == nil }

  func append(_ task: RunLoopTask) {
    task.lane = self
    if let tail {
      if tail.order > task.order { isSorted = false }
      tail.next = task
      task.previous = tail
    } else {
      head = task
    }
    tail = task
  }

  func remove(_ task: RunLoopTask) {
    let (previous, next) = (task.previous, task.next)
    if let next { next.previous = previous } else { tail = previous }
    if let previous { previous.next = next } else { head = next }
    (task.lane, task.previous, task.next) = (nil, nil, nil)
    if head == nil { isSorted = true }
  }

  /// The first task in line that was born before `bound`.
  ///
  /// - Complexity: O(1), but for replacements that are too young and stand before it, and for sorting.
  func first(bornBefore bound: UInt64) -> RunLoopTask? {
    if !isSorted { sort() }
    var candidate = head
    // No task is older than its place in line, so behind the bound there is nothing to find.
    while let task = candidate, task.order < bound {
      if task.birth < bound { return task }
      candidate = task.next
    }
    return nil
  }

  private func sort() {
    var tasks: [RunLoopTask] = []
    while let task = head {
      remove(task)
      tasks.append(task)
    }
    tasks.sort { $0.order < $1.order }
    tasks.forEach(append)
  }
}
