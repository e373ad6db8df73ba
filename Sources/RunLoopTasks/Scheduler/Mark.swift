/// What few tasks have, and is therefore kept apart: a key to coalesce by, and its consequences.
struct Mark {
  var key: AnyHashable?
  /// When the task was scheduled, on the same scale as its place in line.
  let birth: UInt64
  /// When it was scheduled or last replaced another task. It may run in batches that begin later.
  var ready: UInt64
}

extension RunLoopTask {
  /// What is remembered of the task; most have nothing but their place in line.
  var mark: Mark {
    get { isMarked ? scheduler.marks[ObjectIdentifier(self)]! : Mark(key: nil, birth: order, ready: order) }
    set {
      isMarked = true
      scheduler.marks[ObjectIdentifier(self)] = newValue
    }
  }

  var key: AnyHashable? { mark.key }
}
