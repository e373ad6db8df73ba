#if canImport(Testing)
  import Foundation
  import RunLoopTasks
  import Testing

  /// How the task clock of a test's loop goes.
  ///
  /// ```swift
  /// @Test(.ownRunLoop(clock: .stopped)) func savesAfterTwoSeconds() {
  ///   var isSaved = false
  ///   RunLoop.current.perform { isSaved = true }.after(.seconds(2))
  ///   RunLoop.current.advance(by: .milliseconds(1_999))
  ///   #expect(!isSaved)  // on any machine
  ///   RunLoop.current.advance(by: .milliseconds(1))
  ///   #expect(isSaved)
  /// }
  /// ```
  public enum RunLoopTestClock: Sendable {
    /// It moves with `advance(by:)` and with real time.
    case running
    /// Only `advance(by:)` moves it, from the test's first line to its last, however slow the machine is in between.
    ///
    /// A run that sleeps doesn't start it. `runUntilTasksFinish`, where all pending tasks wait for their time, is an
    /// issue and returns; other runs sleep on for what else may come. At the end of the test, the clock runs on from
    /// the time that it shows. On the main loop, the delayed tasks of other code wait until then, too.
    case stopped
  }

  /// Makes an issue of a call that would wait for a date of a stopped clock. It is called in the test's task.
  final class StoppedClockWatch: LoopListener {
    func callWaitsInVain(_ call: Call) {
      let task = RunLoop.current.taskQueue.ownTasks.first.map { "; pending, first: \($0.listing)" }
      Issue.record(
        "runUntilTasksFinish would wait for the stopped clock of the test: use advance(by:)\(task ?? "")",
        sourceLocation: SourceLocation(call.fileID, call.line))
    }
  }
#endif
