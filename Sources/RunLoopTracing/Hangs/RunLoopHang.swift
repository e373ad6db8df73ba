import Foundation
import RunLoopTasks

/// A pass of a run loop that lasts too long, as a `RunLoopHangReporter` reports it.
///
/// Its description is one line, for a log:
///
///     main: busy for 412 ms in default mode, 371 ms of it in the task of Editor/Document.swift:57 (idle)
///
/// While the loop hangs, it says `busy for 250 ms so far`, and behind the task that took longest the one that runs now.
public struct RunLoopHang: Sendable {
  /// A task in the pass, a batch of a `RunLoopSource`, or a job.
  public struct TaskRun: Sendable {
    /// The file and the line that scheduled the task, such as `Editor/Document.swift:57`.
    ///
    /// For a batch of a source, it is the type of the source, such as `RunLoopSource<URL>`. For a part of async code on
    /// a `RunLoopThread`, it is `job`.
    public let origin: String
    /// The task's timing; `nil` for a batch or a job.
    public let timing: RunLoopTask.Timing?
    /// How long it took, or has taken so far. A run of the loop inside it doesn't count, nor a task that it runs at
    /// once.
    public let duration: Duration
    /// It hasn't ended.
    public let isRunning: Bool
  }

  /// How long the pass has lasted so far. Runs nested in it don't count.
  public let duration: Duration
  /// The pass has ended, so that this is the last report of the hang.
  public let isOver: Bool
  /// The mode of the run in which the limit passed; `nil` if it passed between two runs.
  ///
  /// AppKit leaves its run for each event and handles the event outside. So does your own code between two calls of
  /// `runUntil` or `run(mode:before:)`. The report then comes once the next run has begun.
  public let mode: RunLoop.Mode?
  /// The tasks, batches and jobs of this pass, the longest first, ten at most. One that runs is among them if it is one
  /// of the ten longest; the description names it in any case.
  ///
  /// If none is running and none took long, other code has held up the loop: a timer, a block, an observer, or a source
  /// that is no `RunLoopSource`.
  public let tasks: [TaskRun]

  /// The name of the loop.
  let name: String
  /// How many of these the pass has had in all, and how long they took together.
  let total: (count: Int, duration: Duration)
  /// The innermost of these that runs; `nil` if none does, or the report came late.
  let running: TaskRun?
}

extension RunLoopHang: CustomStringConvertible {
  /// One line: the loop, how long it was busy, or is so far, in which mode, what took the most of it, and, if that is
  /// another task, the one that runs now.
  public var description: String {
    let place = mode.map { "in \($0.tracedName) mode" } ?? "between two runs"
    var text = "\(name): busy for \(duration.inMilliseconds) \(isOver ? "" : "so far ")\(place), \(culprit)"
    if !isOver, let running, !text.hasSuffix(running.name) { text += "; now in \(running.name)" }
    return text.split(whereSeparator: \.isNewline).joined(separator: " ")  // a name may have any characters
  }

  private var culprit: String {
    guard let longest = tasks.first, total.duration * 2 >= duration else {
      let other = "\((duration - total.duration).inMilliseconds) of it in other code"
      guard let longest = tasks.first, longest.duration * 10 >= duration else { return other }
      return "\(other), \(longest.duration.inMilliseconds) in \(longest.name)"
    }
    if total.count == 1 || longest.duration * 2 >= duration {
      return "\(longest.duration.inMilliseconds) of it in \(longest.name)"
    }
    return
      "\(total.duration.inMilliseconds) of it in \(total.count) tasks, batches and jobs, the longest \(longest.name)"
  }
}

extension RunLoopHang.TaskRun {
  fileprivate var name: String {
    if let timing { return "the task of \(origin) (\(timing))" }
    return origin == Self.job ? "a job" : "a batch of \(origin)"
  }

  /// The origin of all jobs.
  fileprivate static let job = "job"
}

extension RunLoopHang {
  init(_ report: HangPasses.Report, of name: String) {
    var (end, runs, count, total) = (report.time, [TaskRun](), report.pass.workCount, report.pass.workTime)
    func add(_ work: HangPasses.Work, _ duration: Int64, isRunning: Bool) {
      runs.append(TaskRun(work.kind, .nanoseconds(duration), isRunning: isRunning))
    }
    for work in report.running.reversed() {  // each is inside the one before
      add(work, end - work.start, isRunning: true)
      (end, count, total) = (work.start, count + 1, total + end - work.start)
    }
    let running = runs.first
    for (work, duration) in report.pass.longest { add(work, duration, isRunning: false) }
    runs.sort { $0.duration > $1.duration }
    self.init(
      duration: .nanoseconds(report.time - report.pass.start), isOver: report.isOver, mode: report.mode,
      tasks: Array(runs.prefix(10)), name: name, total: (count, .nanoseconds(total)), running: running)
  }
}

extension RunLoopHang.TaskRun {
  fileprivate init(_ kind: LoopWork.Kind, _ duration: Duration, isRunning: Bool) {
    (self.duration, self.isRunning) = (duration, isRunning)
    switch kind {
    case .task(let origin, let timing, _): (self.origin, self.timing) = (origin.description, timing)
    case .batch(_, let type): (origin, timing) = ("RunLoopSource<\(type)>", nil)
    case .job: (origin, timing) = (Self.job, nil)
    }
  }
}

extension Duration {
  /// In whole milliseconds, or with one decimal below ten.
  fileprivate var inMilliseconds: String {
    let tenths = Int64(self / .microseconds(100))
    return tenths < 100 ? "\(tenths / 10).\(tenths % 10) ms" : "\(tenths / 10) ms"
  }
}
