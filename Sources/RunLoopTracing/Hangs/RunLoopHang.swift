import Foundation
import RunLoopTasks

/// A pass of a run loop that lasts too long, as a `RunLoopHangReporter` reports it.
///
/// Its description is one line, for a log:
///
///     main: busy for 412 ms in default mode, 371 ms of it in the task of Editor/Document.swift:57 (idle)
public struct RunLoopHang: Sendable {
  /// A task in the pass.
  public struct TaskRun: Sendable {
    /// The file and the line that scheduled the task, such as `Editor/Document.swift:57`.
    public let origin: String
    /// The task's timing.
    public let timing: RunLoopTask.Timing
    /// How long the task took, or has taken so far. A run of the loop inside the task doesn't count.
    public let duration: Duration
    /// The task hasn't ended.
    public let isRunning: Bool
  }

  /// How long the pass has lasted so far. Runs nested in it don't count.
  public let duration: Duration
  /// The pass has ended, so that this is the last report of the hang.
  public let isOver: Bool
  /// The mode of the run in which the limit passed; `nil` if it passed between two runs.
  ///
  /// AppKit leaves its run for each event and handles the event outside.
  public let mode: RunLoop.Mode?
  /// The tasks of this pass, the longest first, ten at most.
  ///
  /// If none is running and none took long, other code has held up the loop: a timer, a block, an observer, a source.
  public let tasks: [TaskRun]

  /// The name of the loop.
  let name: String
  /// How many tasks the pass has run, and how long they took together.
  let total: (count: Int, duration: Duration)
}

extension RunLoopHang: CustomStringConvertible {
  /// One line: the loop, how long it was busy and in which mode, and what took the most of it.
  public var description: String {
    let place = mode.map { "in \($0.tracedName) mode" } ?? "between two runs"
    let text = "\(name): busy for \(duration.inMilliseconds) \(place), \(culprit)"
    return text.split(whereSeparator: \.isNewline).joined(separator: " ")  // a name may have any characters
  }

  private var culprit: String {
    guard let longest = tasks.first, total.duration * 2 >= duration else {
      return "\((duration - total.duration).inMilliseconds) of it in other code"
    }
    let origin = "\(longest.origin) (\(longest.timing))"
    if total.count == 1 || longest.duration * 2 >= total.duration {
      return "\(longest.duration.inMilliseconds) of it in the task of \(origin)"
    }
    return "\(total.duration.inMilliseconds) of it in \(total.count) tasks, the longest that of \(origin)"
  }
}

extension Duration {
  /// In whole milliseconds, or with one decimal below ten.
  fileprivate var inMilliseconds: String {
    let tenths = Int64(self / .microseconds(100))
    return tenths < 100 ? "\(tenths / 10).\(tenths % 10) ms" : "\(tenths / 10) ms"
  }
}
