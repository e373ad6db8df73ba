extension RunLoopTask {
  /// The moment of a pass at which a task runs.
  ///
  /// A *pass* is one turn of a run loop. It begins when the loop wakes or a run is entered, and ends when the loop goes to
  /// sleep or its run is left. Every timing has a second moment, so that no task is stranded by a loop that skips the first.
  ///
  /// | timing | runs when | and, so that it is never stranded |
  /// |---|---|---|
  /// | ``nextLoopBegan`` | the loop wakes | a run is entered, once one was left without having slept |
  /// | ``currentLoopEnded`` | the loop is about to sleep | a run is left |
  /// | ``idle`` | a run is left | the loop is about to sleep after a pass without other tasks |
  public enum Timing: Sendable, CaseIterable {
    /// At the beginning of the next pass: when the loop wakes (`afterWaiting`).
    ///
    /// A loop that is only polled never sleeps, so a task that a run left behind without having slept since the task was
    /// scheduled runs as soon as a run is entered again.
    case nextLoopBegan

    /// At the end of the current pass: just before the loop sleeps (`beforeWaiting`), or when its run is left (`exit`).
    ///
    /// On the main loop this is before Core Animation commits: what the task changes is in the frame that the pass draws.
    case currentLoopEnded

    /// When a run of the loop is left (`exit`), or before the loop sleeps if nothing else is left to do.
    ///
    /// "Nothing else" means that no task ran in this pass and only idle ones are pending in the mode.
    case idle
  }
}

/// What is due at an activity: the timings in question and, at `entry`, only the tasks that were left behind.
struct Due {
  let timings: [RunLoopTask.Timing]
  var onlyStranded = false

  static let atEntry = Due(timings: [.nextLoopBegan], onlyStranded: true)
  static let beforeWaiting = Due(timings: [.currentLoopEnded])
  static let beforeIdleWaiting = Due(timings: [.idle])
  static let afterWaiting = Due(timings: [.nextLoopBegan])
  static let atExit = Due(timings: [.currentLoopEnded, .idle])
}

/// A value for each timing.
struct PerTiming<Value> {
  var nextLoopBegan: Value
  var currentLoopEnded: Value
  var idle: Value

  init(_ make: (RunLoopTask.Timing) -> Value) {
    (nextLoopBegan, currentLoopEnded, idle) = (make(.nextLoopBegan), make(.currentLoopEnded), make(.idle))
  }

  subscript(timing: RunLoopTask.Timing) -> Value {
    get {
      switch timing {
      case .nextLoopBegan: nextLoopBegan
      case .currentLoopEnded: currentLoopEnded
      case .idle: idle
      }
    }
    _modify {
      switch timing {
      case .nextLoopBegan: yield &nextLoopBegan
      case .currentLoopEnded: yield &currentLoopEnded
      case .idle: yield &idle
      }
    }
  }
}
