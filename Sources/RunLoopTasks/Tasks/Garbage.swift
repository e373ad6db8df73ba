/// Cancelled tasks and keys that the scheduler no longer needs.
///
/// Their release may run any code, even code that runs the loop. The scheduler therefore collects them while it changes
/// its state, and releases them when the state is consistent again.
final class Garbage {
  enum Item {
    case task(RunLoopTask)
    case key(TaskKey)
  }

  // Exclusivity is not checked at run time, because no user code runs while the array changes.
  @exclusivity(unchecked) private var items: [Item] = []

  var isEmpty: Bool { items.isEmpty }

  /// Adds a task. `release` releases the task's closure and key.
  func add(_ task: RunLoopTask) { items.append(.task(task)) }

  func add(_ key: TaskKey) { items.append(.key(key)) }

  /// Releases everything, including objects that a release adds.
  @inline(__always)
  func release() {
    if !items.isEmpty { releaseAll() }
  }

  @inline(never)
  private func releaseAll() {
    while let item = items.popLast() {
      guard case .task(let task) = item else { continue }
      _ = task.closure.take()
      task.extras = .none
    }
  }
}
