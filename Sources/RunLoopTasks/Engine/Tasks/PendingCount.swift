import Synchronization

/// The number of pending tasks, which any thread can read, and the generation that `cancelAll()` ends.
///
/// Each task belongs to the generation in which it was scheduled. `cancelAll()` begins a new generation, in one atomic
/// step on any thread. Tasks of older generations then count as cancelled, wherever they are, and the loop's thread
/// releases them later.
struct PendingCount: ~Copyable, Sendable {
  /// The latest generation in the upper half, and the number of its pending tasks in the lower half.
  private let word = Atomic<UInt64>(0)

  var generation: UInt32 { UInt32(word.load(ordering: .acquiring) >> 32) }

  /// How many tasks of the latest generation are pending.
  var value: Int { Int(UInt32(truncatingIfNeeded: word.load(ordering: .acquiring))) }

  /// Counts a new task.
  ///
  /// - Returns: its generation.
  func addTask() -> UInt32 { UInt32(word.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue >> 32) }

  /// Removes a task from its generation's count.
  ///
  /// - Returns: whether that generation has not ended.
  func removeTask(of generation: UInt32) -> Bool { update { $0 >> 32 == generation ? $0 - 1 : nil } }

  func beginGeneration() { _ = update { ($0 >> 32 &+ 1) << 32 } }

  /// Changes the word in one step, unless `change` returns `nil`.
  private func update(_ change: (UInt64) -> UInt64?) -> Bool {
    var (isDone, old) = (false, word.load(ordering: .relaxed))
    while !isDone, let new = change(old) {
      (isDone, old) = word.weakCompareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing)
    }
    return isDone
  }
}
