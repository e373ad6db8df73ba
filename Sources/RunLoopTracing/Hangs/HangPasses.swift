import Foundation
import RunLoopTasks

/// The passes under way, and how long each has lasted without the runs nested in it.
///
/// The beginning of a pass, and that of a task, moves by the time that nested runs take:
///
///     pass in default     ├─ task ─┐                         ┌─ task ─┤
///     pass in modal                └ entry ─ … ─ sleep ─ … exit
///     counted             ├────────┼                         ├────────┤
///
/// A run that has slept and is left is probably that of an app which handles its event outside. Its pass goes on, if
/// another run follows.
struct HangPasses: SpanSink {
  /// A task, a batch or a job.
  struct Work {
    let kind: LoopWork.Kind
    var start: Int64
  }

  /// What a pass is known for.
  struct Pass {
    var start: Int64
    /// The works that have ended, the longest first, ten at most.
    var longest: [(work: Work, duration: Int64)] = []
    var workCount = 0
    var workTime: Int64 = 0
    /// The first report was made, with this mode.
    var reportedMode: RunLoop.Mode??

    mutating func note(_ work: Work, until end: Int64) {
      let duration = end - work.start
      (workCount, workTime) = (workCount + 1, workTime + duration)
      if longest.count == 10, longest[9].duration >= duration { return }
      longest.insert((work, duration), at: longest.firstIndex { $0.duration < duration } ?? longest.count)
      if longest.count > 10 { longest.removeLast() }
    }
  }

  /// A run, or what is outside all runs.
  struct Level {
    var mode: RunLoop.Mode?
    var entry: Int64 = 0
    /// `nil` during a sleep.
    var pass: Pass?
    /// The pass has ended, by a sleep or with the run.
    var endedPass: (pass: Pass, end: Int64)?
    var hasSlept = false
    /// The works under way.
    var works: [Work] = []
    /// The pass of a run nested here that was left after having slept, and when it was left.
    var left: (pass: Pass, mode: RunLoop.Mode?, exit: Int64)?
    /// The limit of that pass has passed, and no run has followed.
    var isLeftTooLong = false
  }

  /// A pass that is over, or that has passed the limit.
  struct Report {
    var pass: Pass
    var mode: RunLoop.Mode?
    var time: Int64
    var running: [Work] = []
    var isOver: Bool
  }

  let limit: Int64
  private var levels = [Level()]
  /// What is to be reported.
  var reports: [Report] = []

  init(limit: Int64) { self.limit = limit }

  // MARK: The pass under way

  private var top: Level {
    _read { yield levels[levels.count - 1] }
    _modify { yield &levels[levels.count - 1] }
  }

  /// When the pass under way, or the one that was left, passes the limit; `nil` if there is none, or once that is known.
  var deadline: Int64? {
    guard let pass = top.pass ?? top.left?.pass, pass.reportedMode == nil else { return nil }
    return top.pass == nil && top.isLeftTooLong ? nil : pass.start + limit
  }

  /// Looks whether the limit has passed. If that is so outside runs, it is reported once a run follows.
  mutating func look(at time: Int64) {
    guard let deadline, deadline <= time else { return }
    if top.pass == nil { top.isLeftTooLong = true } else { reportLimit(in: top.mode, at: time) }
  }

  private mutating func reportLimit(in mode: RunLoop.Mode?, at time: Int64) {
    top.pass!.reportedMode = .some(mode)
    reports.append(Report(pass: top.pass!, mode: mode, time: time, running: top.works, isOver: false))
  }

  /// Lets the pass under way begin now, with the works under way, because the loop may have slept in it. One that was
  /// reported stays as it is, and one that was left is over.
  mutating func restartPass(at time: Int64) {
    guard let pass = top.pass else { return finishLeft() }
    guard pass.reportedMode == nil else { return }
    top.pass = Pass(start: time)
    for index in top.works.indices { top.works[index].start = time }
  }

  // MARK: Spans

  mutating func begins(_ span: Span, at time: Int64) {
    switch span {
    case .run(let mode, _): levels.append(Level(mode: mode, entry: time))
    case .pass: beginPass(at: time)
    case .sleep: fallAsleep()
    case .work(let kind): top.works.append(Work(kind: kind, start: time))
    case .phase: break
    }
  }

  mutating func ends(_ span: Span, at time: Int64) {
    switch span {
    case .run: endRun(at: time)
    case .pass: top.endedPass = top.pass.take().map { ($0, time) }
    case .work:
      let work = top.works.removeLast()
      for index in top.works.indices { top.works[index].start += time - work.start }
      if levels.count == 1 { top.left?.pass.note(work, until: time) } else { top.pass?.note(work, until: time) }
    case .phase, .sleep: break
    }
  }

  private mutating func beginPass(at time: Int64) {
    let outer = levels.count - 2
    guard !top.hasSlept, top.endedPass == nil, outer >= 0, let left = levels[outer].left.take() else {
      top.pass = Pass(start: time)
      return
    }
    // It goes on, and what came between counts for it, not for the pass around it.
    let reported = levels[outer].pass
    levels[outer].shift(from: left.exit, to: time)
    top.pass = left.pass
    if let reported, let mode = reported.reportedMode, time - levels[outer].pass!.start < limit {
      // The hang that was reported for the pass around it is a hang of this one.
      levels[outer].pass!.reportedMode = nil
      if left.pass.reportedMode == nil { top.pass!.reportedMode = mode } else { finish(reported, mode, at: time) }
    }
    if top.pass!.reportedMode == nil, time - left.pass.start >= limit { reportLimit(in: nil, at: time) }
  }

  private mutating func fallAsleep() {
    top.hasSlept = true
    if let (pass, end) = top.endedPass.take() { finish(pass, top.mode, at: end) }
    finishLeft()
  }

  private mutating func endRun(at time: Int64) {
    finishLeft()
    let run = levels.removeLast()
    top.shift(from: run.entry, to: time)
    guard let (pass, end) = run.endedPass else { return }
    guard run.hasSlept else { return finish(pass, run.mode, at: end) }
    finishLeft()
    (top.left, top.isLeftTooLong) = ((pass, run.mode, end), false)
  }

  /// The pass that was left is over, as no run follows that could be a part of it.
  mutating func finishLeft() {
    if let left = top.left.take() { finish(left.pass, left.mode, at: left.exit) }
  }

  /// Reports the end of a pass that has lasted too long.
  private mutating func finish(_ pass: Pass, _ mode: RunLoop.Mode?, at time: Int64) {
    guard pass.reportedMode != nil || time - pass.start >= limit else { return }
    var pass = pass
    let mode = pass.reportedMode ?? mode
    if pass.reportedMode == nil {
      pass.reportedMode = .some(mode)
      reports.append(Report(pass: pass, mode: mode, time: time, isOver: false))
    }
    reports.append(Report(pass: pass, mode: mode, time: time, isOver: true))
  }
}

extension HangPasses.Level {
  /// Lets what is under way have begun later by what it has of a time that does not count for it.
  fileprivate mutating func shift(from start: Int64, to end: Int64) {
    pass?.start.shift(from: start, to: end)
    for index in works.indices { works[index].start.shift(from: start, to: end) }
  }
}

extension Int64 {
  /// As the beginning of something that lasts at `end`. It may have begun after `start`.
  fileprivate mutating func shift(from start: Int64, to end: Int64) { self += end - Swift.max(start, self) }
}
