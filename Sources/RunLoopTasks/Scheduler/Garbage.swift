/// Cancelled tasks and keys that the scheduler no longer needs.
///
/// Their release may run any code, even code that runs the loop. The scheduler therefore collects them while it changes
/// its state, and releases them when the state is consistent again.
final class Garbage {
  private var tasks: [RunLoopTask] = []
  private var keys: [AnyHashable] = []
  /// A stored property, because each activity reads it.
  private(set) var isEmpty = true

  /// Adds a task. `release` releases the task's closure and key.
  func add(_ task: RunLoopTask) {
    tasks.append(task)
    isEmpty = false
  }

  func add(_ key: AnyHashable) {
    keys.append(key)
    isEmpty = false
  }

  /// Releases everything, including objects that a release adds.
  func release() {
    while !isEmpty {
      let (task, key) = (tasks.popLast(), keys.popLast())
      isEmpty = tasks.isEmpty && keys.isEmpty
      _ = task?.closure.take()
      withExtendedLifetime((key, task?.options?.key.take())) {}
    }
  }

  /// Takes out everything.
  func removeAll() -> (tasks: [RunLoopTask], keys: [AnyHashable]) {
    defer { (tasks, keys, isEmpty) = ([], [], true) }
    return (tasks, keys)
  }
}
