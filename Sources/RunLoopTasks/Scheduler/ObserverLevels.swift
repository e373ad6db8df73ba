/// The nested calls of tasks, each of which an observer of its own makes.
///
/// A run loop does not call an observer that it is already calling. So the observer of the next level serves a run that is nested in a
/// task, and there is always one observer more than are calling.
struct ObserverLevels {
  /// How many observers are calling tasks. The observer of this level is the next to call some.
  private(set) var busy = 0
  private var count = 0

  /// Adds a level for a new observer.
  ///
  /// - Returns: the level.
  mutating func add() -> Int {
    count += 1
    return count - 1
  }

  /// - Returns: whether one more observer is needed.
  mutating func beginCallOut() -> Bool {
    busy += 1
    return busy == count
  }

  mutating func endCallOut() { busy -= 1 }
}
