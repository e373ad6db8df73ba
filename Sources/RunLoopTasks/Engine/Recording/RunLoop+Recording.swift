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

  /// The mode in which the loop runs now, if the recorders were not told of that run: the callout that was the first to use
  /// the mode runs the loop in it. They are told of what comes next in that run.
  package func findHiddenRun() -> RunLoop.Mode? {
    scheduler.attachment.withLock { ($0.loop as? SystemLoop)?.watch?.findHiddenRun() }
  }
}
