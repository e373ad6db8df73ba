import Foundation

extension RunLoop {
  /// Tells a recorder what the loop does, from now on. On the loop's own thread; anywhere else it traps.
  ///
  /// - Returns: the loop for the recorder; `nil` once it has ended.
  package func record(with recorder: some LoopRecorder, _ call: Call) -> RecordedLoop? {
    let scheduler = scheduler(for: call)
    return scheduler.begin(recorder) ? RecordedLoop(scheduler: scheduler) : nil
  }
}

/// A loop that is recorded. Any thread may use it.
package struct RecordedLoop: Sendable {
  fileprivate let scheduler: Scheduler

  /// Tells a recorder nothing more, except for what is being told just now.
  package func end(_ recorder: some LoopRecorder) { scheduler.end(recorder) }

  /// Looks for a run of which the recorders were not told: the callout that was the first to use a mode runs the loop
  /// in it. They are told of what comes next in that run.
  package func findHiddenRun() -> HiddenRun {
    scheduler.attachment.withLock { ($0.loop as? SystemLoop)?.watch?.findHiddenRun() } ?? .none
  }
}

/// A run of which the recorders of its loop were not told.
package enum HiddenRun {
  /// There was none since the last activity.
  case none
  /// The loop runs in this mode now.
  case underWay(RunLoop.Mode)
  /// The loop has a new mode, and may have been run in it.
  case perhapsOver
}
