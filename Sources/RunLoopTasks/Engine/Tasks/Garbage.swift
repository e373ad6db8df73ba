/// Cancelled tasks and keys that the scheduler no longer needs.
///
/// Their release may run any code, even code that runs the loop. The scheduler therefore collects them while it changes
/// its state, and releases them when the state is consistent again.
final class Garbage {
  // Exclusivity is not checked at run time, because no user code runs while the arrays change.
  @exclusivity(unchecked) private var tasks: [RunLoopTask] = []
  @exclusivity(unchecked) private var keys: [TaskKey] = []

  var isEmpty: Bool { tasks.isEmpty && keys.isEmpty }

  /// Adds a task. `release` releases the task's closure and key.
  func add(_ task: RunLoopTask) { tasks.append(task) }

  func add(_ key: TaskKey) { keys.append(key) }

  /// Releases everything, including objects that a release adds.
  func release() {
    if !isEmpty { releaseAll() }
  }

  private func releaseAll() {
    while !isEmpty {
      _ = keys.popLast()
      tasks.popLast()?.releaseContents()
    }
  }
}
