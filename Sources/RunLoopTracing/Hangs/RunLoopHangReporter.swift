import Foundation
import RunLoopTasks

/// Reports the passes of a run loop that last too long.
///
/// ```swift
/// let reporter = RunLoop.main.reportHangs { hang in
///   NSLog("%@", "\(hang)")  // while it lasts, and once it is over
/// }
/// ```
///
/// `reportHangs(over:_:)` begins it. It ends with ``stop()``, when you release it, or with its loop.
public final class RunLoopHangReporter: Sendable {
  private let recorder: HangRecorder
  private let watch: ActivityWatch

  init(_ recorder: HangRecorder, of queue: RunLoopTaskQueue) {
    self.recorder = recorder
    watch = ActivityWatch(queue, for: recorder)
    recorder.begin { [weak watch] in watch?.findHiddenRun() ?? .none }
  }

  /// Ends the reports. You can call it on any thread, also in the handler.
  ///
  /// The handler isn't called any more, except for a call that is under way on its queue. When you release the reporter
  /// instead, what has happened before is still reported.
  ///
  /// - Complexity: O(modes of the loop).
  public func stop() {
    recorder.end()
    watch.end()
  }

  deinit {
    recorder.endAfterAll()
    watch.end()
  }
}

extension RunLoop {
  /// Reports the passes of the loop that last longer than a limit, with the tasks that took the time.
  ///
  /// A pass lasts from the loop's waking, or from the beginning of its run, until it goes to sleep. The handler is
  /// called twice for each pass that is too long: when the limit passes, *while the loop hangs*, and once the pass is
  /// over.
  ///
  /// ```swift
  /// let reporter = RunLoop.main.reportHangs(over: .milliseconds(250)) { hang in
  ///   print(hang)
  /// }
  /// // main: busy for 250 ms so far in default mode, 209 ms of it in the task of Editor/Document.swift:57 (idle)
  /// // main: busy for 412 ms in default mode, 371 ms of it in the task of Editor/Document.swift:57 (idle)
  /// ```
  ///
  /// A nested run has passes of its own, and its time doesn't count for the pass around it. So a modal panel is no
  /// hang, but a panel that doesn't answer is. A run that is left after it has slept, and is followed by another, goes
  /// on counting, as AppKit leaves its run for each event and handles it outside. The handler is then called once the
  /// next run has begun.
  ///
  /// A custom mode that the loop has never used is seen from the next activity in a known mode on. Runs in it before
  /// that count as other code between two runs, so schedule a task for the mode first if it must be watched.
  ///
  /// Time in which the whole process stands still is no hang, as in a debugger. A thread of the reporter looks at the
  /// loop before the limit passes, and a look that comes late shows that.
  ///
  /// Nothing polls. An idle loop wakes no thread, and a busy one about three times in a limit. What runs when is the
  /// same as without a reporter.
  ///
  /// > Warning: On Linux with an async main and without `RunLoopMain`, nobody runs the main loop. A reporter of it that
  /// > begins before the first `await` reports nothing, and after that the call traps.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps, and so does a limit of zero or less.
  ///   The reporter ends when you release the result, so keep it.
  /// - Parameters:
  ///   - limit: how long a pass may last, more than zero.
  ///   - handler: called on a queue of this reporter, one report after the other. If it takes long, a hundred reports
  ///     wait, and the older ones are dropped. Nothing else waits for it.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: the reporter.
  public func reportHangs(
    over limit: Duration = .milliseconds(250), _ handler: @escaping @Sendable (RunLoopHang) -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> RunLoopHangReporter {
    let call = Call("RunLoop.reportHangs(over:_:)", fileID, line)
    if limit <= .zero { call.stop("needs a limit of more than zero, not \(limit)") }
    let queue = ownQueue(for: call)
    // A hundred years are never over, and far from the end of the clock.
    let nanoseconds = Int64(min(limit, .seconds(100 * 365 * 86_400)) / .nanoseconds(1))
    let recorder = HangRecorder(
      name: nameOfThread, limit: max(1, nanoseconds), in: currentMode, HangReports(handler))
    return RunLoopHangReporter(recorder, of: queue)
  }
}
