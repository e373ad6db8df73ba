extension RunLoopTask {
  /// The moment of a pass at which a task runs.
  ///
  /// A *pass* is one turn of a run loop. It begins when the loop wakes or a run is entered, and ends when the loop goes to
  /// sleep or its run is left. Every timing has a second moment, so that no task is stranded by a loop that skips the first.
  /// <doc:WhenATaskRuns> has a picture, and the rules in full.
  ///
  /// | timing | runs when | and, so that it is never stranded |
  /// |---|---|---|
  /// | ``nextLoopBegan`` | the loop wakes | a run is entered, if an earlier one was left before it slept |
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
    /// On the main loop this is before Core Animation's observer. <doc:WhichFrame> says which frame shows the task's changes.
    case currentLoopEnded

    /// When a run of the loop is left (`exit`), or before the loop sleeps if nothing else is left to do.
    ///
    /// "Nothing else" means that no other task ran in this pass and only idle ones are pending in the mode. UIKit rarely leaves the main
    /// loop's run, so idle tasks run there before it sleeps. AppKit leaves it for each event, so idle tasks also run there before the app
    /// handles an event.
    case idle
  }
}
