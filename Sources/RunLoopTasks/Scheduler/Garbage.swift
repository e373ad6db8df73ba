/// Tasks that were cancelled and keys, which the scheduler has no more use for.
///
/// Their release may run any code, such as code that runs the loop. So they are collected while something is being changed, and
/// released when all is in order again.
final class Garbage {
  private var tasks: [RunLoopTask] = []
  private var keys: [AnyHashable] = []
  /// Kept apart from the arrays, as each activity asks for it.
  private(set) var isEmpty = true

  /// Takes in a task whose closure and key are to be released.
  func add(_ task: RunLoopTask) {
    tasks.append(task)
    isEmpty = false
  }

  func add(_ key: AnyHashable) {
    keys.append(key)
    isEmpty = false
  }

  /// Releases everything, also what comes in meanwhile.
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
