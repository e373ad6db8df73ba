/// The levels of nested calls to tasks. Each level has its own observer.
///
/// A run loop does not call an observer that it is already calling. Therefore the observer of the next level serves a
/// run that is nested in a task. There is always one observer more than the number of observers that are calling tasks.
struct ObserverLevels {
  /// The number of observers that are calling tasks, which is also the level of the observer that calls tasks next.
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
