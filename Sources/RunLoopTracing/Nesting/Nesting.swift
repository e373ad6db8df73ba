import Foundation
import RunLoopTasks

/// Makes nested spans of what a loop tells, wherever it begins to listen, and whatever it is not told.
///
/// Some ends are never told: an exception may leave a run or a task, and the recording may have begun inside a run.
/// Then the stack of the thread tells. It grows down, so what was called from a run or a work lies below it:
///
///     higher     run in default        entry at 900
///       │          task                      at 800
///       ▼            run in modal      entry at 700
///     lower      beforeWaiting in default    at 890: the task and the run in modal are over
struct Nesting<Sink: SpanSink> {
  private struct Open {
    var span: Span
    /// For a work, where the stack was when it began. For a run, where it was at the highest: CoreFoundation may take
    /// more of it for the observers of one activity than for those of another.
    var frame: UInt = 0
    var id: UInt = 0

    var isRun: Bool { if case .run = span { true } else { false } }
    var isWork: Bool { if case .work = span { true } else { false } }
  }

  var sink: Sink
  private var open: [Open] = []
  /// When anything was told, or the nesting was made.
  private(set) var latestTime: Int64

  init(_ sink: Sink, at time: Int64) { (self.sink, latestTime) = (sink, time) }

  /// Begins a run whose entry was not told, from which this is called.
  mutating func beginUnseenRun(in mode: RunLoop.Mode, at time: Int64) {
    begin(Open(span: .run(mode, isDriven: false), frame: stackAddress()), at: time)
    begin(Open(span: .pass), at: time)
  }

  /// Begins a run that was found on another thread, and may sleep.
  mutating func beginHiddenRun(in mode: RunLoop.Mode) {
    begin(Open(span: .run(mode, isDriven: false)), at: latestTime)
    begin(Open(span: .sleep), at: latestTime)
  }

  mutating func come(to moment: LoopMoment, at time: Int64) {
    latestTime = time
    if let lost = open.firstIndex(where: { isLost($0, at: moment) }) { end(from: lost, at: time) }
    if moment.activity == .entry {
      begin(Open(span: .run(moment.mode, isDriven: moment.isDrivenPass), frame: moment.frame), at: time)
    }
    let run = findRun(moment, at: time)
    guard moment.isLast else { return begin(Span.Phase(moment.activity), of: run, at: time) }
    if moment.activity == .exit {
      end(from: run, at: time)
    } else if case .run(_, isDriven: false) = open[run].span {
      end(from: run + 1, at: time)
      begin(Open(span: .sleep), at: time)
    }
  }

  mutating func begin(_ work: LoopWork, at frame: UInt, time: Int64) {
    latestTime = time
    if let lost = open.firstIndex(where: { $0.isWork && $0.frame <= frame }) { end(from: lost, at: time) }
    if let run = indexOfRun { open[run].frame = max(open[run].frame, frame + 1) }
    begin(Open(span: .work(work.kind), frame: frame, id: work.id), at: time)
  }

  mutating func endWork(_ id: UInt, at time: Int64) {
    latestTime = time
    if let index = open.lastIndex(where: { $0.isWork && $0.id == id }) { end(from: index, at: time) }
  }

  mutating func endAll(at time: Int64) { end(from: 0, at: time) }

  /// Whether a work is under way, and is the innermost of what the nesting knows.
  var isInWork: Bool { open.last?.isWork == true }

  // MARK: Runs

  private func isLost(_ item: Open, at moment: LoopMoment) -> Bool {
    switch item.span {
    case .work: return item.frame <= moment.frame
    case .run where moment.activity == .entry: return item.frame <= moment.frame
    case .run(let mode, _): return item.frame < moment.frame && mode != moment.mode
    default: return false
    }
  }

  /// The innermost run, if no work is under way in it.
  private var indexOfRun: Int? {
    open.lastIndex { $0.isRun || $0.isWork }.flatMap { open[$0].isRun ? $0 : nil }
  }

  /// The index of the run that a moment belongs to, which is begun if it was not known.
  private mutating func findRun(_ moment: LoopMoment, at time: Int64) -> Int {
    if let index = indexOfRun, case .run(moment.mode, _) = open[index].span {
      open[index].frame = max(open[index].frame, moment.frame)
      // At the entry in a mode that the package has not observed yet, it does not know yet that it drives the run.
      open[index].span = .run(moment.mode, isDriven: moment.isDrivenPass)
      return index
    }
    begin(Open(span: .run(moment.mode, isDriven: moment.isDrivenPass), frame: moment.frame), at: time)
    return open.count - 1
  }

  private mutating func begin(_ phase: Span.Phase, of run: Int, at time: Int64) {
    let isInPass = if run + 1 < open.count, case .pass = open[run + 1].span { true } else { false }
    end(from: isInPass ? run + 2 : run + 1, at: time)
    if !isInPass { begin(Open(span: .pass), at: time) }
    begin(Open(span: .phase(phase)), at: time)
  }

  // MARK: Spans

  private mutating func begin(_ item: Open, at time: Int64) {
    open.append(item)
    sink.begins(item.span, at: time)
  }

  private mutating func end(from index: Int, at time: Int64) {
    while open.count > index { sink.ends(open.removeLast().span, at: time) }
  }
}
