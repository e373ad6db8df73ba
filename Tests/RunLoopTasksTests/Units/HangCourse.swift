import Foundation

@testable import RunLoopTasks
@testable import RunLoopTracing

/// A loop of which everything is made up, and what counts as a hang in it.
struct Course {
  var nesting: Nesting<HangPasses>
  private(set) var time: Int64 = 0
  private(set) var latest: HangPasses.Report?
  private let hasAlarms: Bool
  /// The modes of the runs, and `nil` for each task.
  private var stack: [(mode: RunLoop.Mode?, isDriven: Bool)] = []

  init(limit: Int64 = 10, hasAlarms: Bool = true) {
    nesting = Nesting(HangPasses(limit: limit), at: 0)
    self.hasAlarms = hasAlarms
  }

  var deadline: Int64? { nesting.sink.deadline }

  /// The reports since the last call.
  var news: [String] {
    mutating get {
      defer { nesting.sink.reports = [] }
      latest = nesting.sink.reports.last ?? latest
      return nesting.sink.reports.map {
        let mode = $0.mode.map { $0 == .custom ? "custom" : "default" } ?? "between"
        return "\($0.isOver ? "over" : "so far") \($0.time - $0.pass.start) \(mode)"
      }
    }
  }

  mutating func take(_ duration: Int64) {
    let end = time + duration
    if hasAlarms, let deadline, deadline <= end { nesting.sink.look(at: deadline) }
    time = end
  }

  mutating func enter(_ mode: RunLoop.Mode, isDriven: Bool = false) {
    stack.append((mode, isDriven))
    come(to: .entry)
  }

  mutating func enterUnseen(_ mode: RunLoop.Mode) {
    stack.append((mode, false))
    come(to: .beforeTimers)
  }

  mutating func fallAsleep() {
    come(to: .beforeWaiting)
    come(to: .beforeWaiting, isLast: true)
    latest = nesting.sink.reports.last ?? latest
  }

  mutating func wake() { come(to: .afterWaiting) }

  mutating func exit() {
    come(to: .exit)
    come(to: .exit, isLast: true)
    stack.removeLast()
  }

  mutating func begin() {
    stack.append((nil, false))
    let task = RunLoopTask(Scheduler.current, fileID: #fileID, line: #line, closure: nil)
    nesting.begin(
      LoopWork(kind: .task(TaskOrigin(task), .idle, lateBy: nil), id: UInt(stack.count)), at: frame, time: time)
  }

  mutating func end() {
    nesting.endWork(UInt(stack.count), at: time)
    stack.removeLast()
  }

  mutating func unwind(to count: Int) { stack.removeLast(stack.count - count) }

  private var frame: UInt { 10_000 - 100 * UInt(stack.count) }

  private mutating func come(to activity: RunLoop.Activity, isLast: Bool = false) {
    let run = stack.last!
    let isDeeper = ![.entry, .exit].contains(activity)
    nesting.come(
      to: LoopMoment(
        activity: activity, isLast: isLast, mode: run.mode!, isDrivenPass: run.isDriven,
        frame: isDeeper ? frame - 10 : frame), at: time)
  }
}
