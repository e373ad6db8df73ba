// Running many tasks ahead of their turns, at the end of a program or of a thread.
extension Scheduler {
  /// Runs what is pending now, besides what async code awaits.
  ///
  /// - Returns: how many tasks have run.
  func runAllTasks() -> Int {
    noteRun()
    return runNow { _ in true }
  }

  /// Runs what waits for its time in the modes that the drain of a thread serves, besides what async code awaits.
  func runWaitingTasks() {
    _ = runNow { $0.whereabouts == .waiting && $0.modes.contains { $0 == .default || $0 == .common } }
  }

  private func runNow(where isIncluded: (RunLoopTask) -> Bool) -> Int {
    lookAnew()
    flushes.append(Flush(of: pending.all.filter { !$0.isAwaited && isIncluded($0) }))
    defer { flushes.removeLast() }
    var (index, count) = (0, 0)
    while let task = flushes[flushes.count - 1][index] {
      if runNow(task) { count += 1 }
      lookAnew()  // other threads may have cancelled or replaced some
      index += 1
    }
    return count
  }
}

/// Tasks that run one after the other, ahead of their turns. A task that replaces one of them takes its place.
struct Flush {
  private var tasks: [RunLoopTask]
  private var places: [ObjectIdentifier: Int] = [:]

  init(of tasks: [RunLoopTask]) {
    self.tasks = tasks
    for (place, task) in tasks.enumerated() { places[ObjectIdentifier(task)] = place }
  }

  subscript(place: Int) -> RunLoopTask? { place < tasks.count ? tasks[place] : nil }

  mutating func replace(_ old: RunLoopTask, by new: RunLoopTask) {
    guard let place = places.removeValue(forKey: ObjectIdentifier(old)) else { return }
    (tasks[place], places[ObjectIdentifier(new)]) = (new, place)
  }
}
