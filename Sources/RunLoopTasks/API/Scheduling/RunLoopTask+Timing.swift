extension RunLoopTask {
  /// The moment of a pass at which a task runs.
  ///
  /// A *pass* begins when the loop wakes or enters a run, and ends when the loop goes to sleep or leaves the run. Every
  /// timing has a fallback, because a loop may never reach the preferred moment.
  /// <doc:WhenATaskRuns> has a picture and the exact rules.
  ///
  /// | Timing | A task runs when | Fallback |
  /// |---|---|---|
  /// | ``nextLoopBegan`` | the loop wakes | the loop enters a run, if it left an earlier run before it slept |
  /// | ``currentLoopEnded`` | the loop is about to sleep | the loop leaves a run |
  /// | ``idle`` | the loop leaves a run | the loop is about to sleep after a pass without other tasks |
  public enum Timing: Sendable, CaseIterable {
    /// At the beginning of the next pass: when the loop wakes (`afterWaiting`).
    ///
    /// A loop that is only polled never sleeps. If a run ends without having slept since the task was scheduled, the
    /// task runs at the `entry` of the next run.
    case nextLoopBegan

    /// At the end of the current pass: just before the loop sleeps (`beforeWaiting`) or leaves its run (`exit`).
    ///
    /// On the main loop this is before Core Animation's observer. <doc:InTheSameFrame> says which frame shows the task's
    /// changes.
    case currentLoopEnded

    /// When the loop leaves a run (`exit`), or before it sleeps if nothing else is left to do.
    ///
    /// "Nothing else" means that no other task ran in this pass and only idle tasks are in line in the mode. UIKit
    /// rarely leaves the main loop's run, so idle tasks run there before it sleeps. AppKit leaves it for each event, so
    /// idle tasks also run there before the app handles an event.
    ///
    /// Idle tasks run in slices: once those of one moment have taken 4 milliseconds, or the
    /// ``RunLoopTaskQueue/budget`` if there is one, the rest stay first in line. Before the next slice the loop serves
    /// the timers, sources and blocks that are ready. A backlog of idle tasks makes them late by 4 milliseconds and one
    /// task. In a nested run they may be late by twice that.
    /// The passes of `runPass` and `advance` have no slices.
    case idle
  }
}
