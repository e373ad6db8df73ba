import Foundation

extension RunLoop {
  /// Runs all pending tasks of the loop now, ahead of their turns.
  ///
  /// Use it at the end of a program, so that every debounced save is made without a list of keys:
  ///
  /// <!-- prints: saved notes | saved settings -->
  /// ```swift
  /// for name in ["settings", "notes"] {
  ///   let delay = Duration.seconds(name == "notes" ? 1 : 2)
  ///   RunLoop.main.perform(after: delay, coalescedBy: name) {
  ///     print("saved", name)
  ///   }
  /// }
  /// RunLoop.main.runAllTasks()
  /// ```
  ///
  /// It runs what is pending now, whatever its timing, modes, delay, interval or limit: first the tasks in line in
  /// their order, then those that wait, by their dates. Then it does so once more, for what these have scheduled or
  /// replaced. What async code awaits is left: `run` and sleeps on ``RunLoopTaskQueue/clock``.
  ///
  /// When a window closes, run its own tasks instead, since this call runs those of all other code, too:
  /// <doc:Recipes#Save-when-a-window-closes>. A ``RunLoopThread`` does it with
  /// ``RunLoopThread/stop(runningDelayedTasks:)``.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. In async code it doesn't compile
  ///   (in Swift 5 mode, that is a warning).
  /// - Parameters:
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: how many tasks have run.
  /// - Complexity: O(*n* log *n*), besides what the tasks do.
  @discardableResult
  @available(*, noasync, message: "In a test, use withMainRunLoop; else `try await queue.run { RunLoop.current.… }`")
  public func runAllTasks(fileID: StaticString = #fileID, line: UInt = #line) -> Int {
    scheduler(for: Call("RunLoop.runAllTasks()", fileID, line)).runAllTasks()
  }
}
