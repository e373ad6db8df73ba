import Foundation

extension RunLoop {
  /// Runs the tasks of a timing now, before the loop gets to their activity.
  ///
  /// Use it where changes must be complete before the pass ends, for example before you draw a frame. A task runs there
  /// or at its activity, whichever comes first.
  ///
  /// ```swift
  /// window.handleEvents()
  /// RunLoop.main.runTasks(of: .currentLoopEnded)  // the reloads that the handlers requested
  /// window.drawFrame()
  /// ```
  ///
  /// On iOS, tvOS and visionOS, `UIUpdateLink.addRunLoopTasks(to:)` makes this call before each commit:
  /// <doc:InTheSameFrame>.
  ///
  /// The tasks run as one batch, as at their activity: the tasks of the mode in which the loop runs, or of the default
  /// mode outside a run, in their order, and with them tasks of any timing whose limit has passed. What they schedule
  /// waits for the next batch, and the ``RunLoopTaskQueue/budget`` ends this one. A task may make this call, which then
  /// runs the remaining tasks of its own batch that have this timing.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps.
  /// - Parameters:
  ///   - timing: the timing of the tasks.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: `true` if a task ran.
  @discardableResult
  public func runTasks(of timing: RunLoopTask.Timing, fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
    scheduler(for: "RunLoop.runTasks(of:)", fileID, line).runTasks(of: timing)
  }
}
