import Foundation
import RunLoopTasks

/// Watches a loop for passes that last too long.
///
/// Nothing polls. The beginning of a pass sets an alarm for its limit, unless one is set already. The alarm finds that
/// the loop sleeps, and is not set again; or a younger pass, and is set for that; or the pass that is too long:
///
///     passes     ├──┤ ├─┤├──┤ ├───── … ──────┤
///     alarm      └─ limit ──────┴─ limit: told
final class HangRecorder: LoopRecorder {
  private struct State {
    var nesting: Nesting<HangPasses>
    var isAlarmSet = false
    var isOver = false
    /// Counts what the loop has told.
    var version = 0
  }

  private let name: String
  private let reports: HangReports
  private let state: Locked<State>
  /// Looks for a hidden run of the loop, once that is recorded.
  private let findHiddenRun = Locked<(@Sendable () -> HiddenRun)?>(nil)
  private let alarms = DispatchQueue(label: "RunLoopTracing.limits", qos: .userInitiated)

  init(name: String, limit: Int64, in mode: RunLoop.Mode?, _ reports: HangReports) {
    (self.name, self.reports) = (name, reports)
    let now = uptime()
    var nesting = Nesting(HangPasses(limit: limit), at: now)
    if let mode { nesting.beginUnseenRun(in: mode, at: now) }
    state = Locked(State(nesting: nesting))
  }

  func begin(_ findHiddenRun: @escaping @Sendable () -> HiddenRun) {
    self.findHiddenRun.withLock { $0 = findHiddenRun }
    change { _, _ in }
  }

  func end() {
    state.withLock { $0.isOver = true }
    reports.end()
  }

  /// Changes the state, makes the reports, and sets the alarm.
  private func change(_ body: (inout State, Int64) -> Void) {
    state.withLock { state in
      if state.isOver { return }
      state.version += 1
      body(&state, uptime())
      setAlarm(&state)
      // With the lock, so that the loop's thread, which tells that a hang is over, does not overtake the alarm's:
      //
      //     alarm     lock ─ the limit has passed: adds ─ unlock
      //     loop                                          lock ─ the pass is over: adds ─ unlock
      for report in state.nesting.sink.reports { reports.add(RunLoopHang(report, of: name)) }
      state.nesting.sink.reports = []
    }
  }

  // MARK: The alarm

  private func setAlarm(_ state: inout State) {
    guard !state.isAlarmSet, let deadline = state.nesting.sink.deadline else { return }
    state.isAlarmSet = true
    alarms.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: UInt64(deadline))) { [weak self] in self?.goOff() }
  }

  private func goOff() {
    let (isDue, version) = state.withLock { ($0.nesting.sink.deadline ?? .max <= uptime(), $0.version) }
    // The lock of the loop is not taken under that of the recorder: while another thread holds it, the loop would wait.
    let hidden = isDue ? findHiddenRun.withLock { $0 }?() : nil
    change { state, time in
      state.isAlarmSet = false
      switch hidden {
      case .underWay(let mode) where state.version == version + 1: state.nesting.beginHiddenRun(in: mode)
      // Whatever the loop has told meanwhile, as in a hang of many short tasks. If the pass is another one by now, the
      // alarm is set again.
      case .none? where state.nesting.sink.deadline ?? .max <= time: state.nesting.sink.reportLimit(at: time)
      case .perhapsOver, .underWay: state.nesting.sink.restartPass(at: time)
      default: break
      }
    }
  }

  // MARK: What the loop tells

  func loopComes(to moment: LoopMoment) { change { $0.nesting.come(to: moment, at: $1) } }
  func workBegins(_ work: RecordedWork, at frame: UInt) { change { $0.nesting.begin(work, at: frame, time: $1) } }
  func workEnds(_ id: UInt) { change { $0.nesting.endWork(id, at: $1) } }
  func loopEnds() {
    state.withLock { $0.isOver = true }
    reports.endAfterAll()
  }
  func workPosts(arrow _: UInt64) {}
  func taskWasScheduled(_: UInt, arrow _: UInt64?) {}
  func taskIsOver(_: UInt) {}
}

extension RunLoopHang {
  fileprivate init(_ report: HangPasses.Report, of name: String) {
    let pass = report.pass
    let running = report.running.map { ($0, report.time - $0.start, true) }
    let duration = report.time - pass.start
    let runningTime = report.running.first.map { report.time - $0.start } ?? 0
    let tasks = (running + pass.longest.map { ($0.work, $0.duration, false) }).sorted { $0.1 > $1.1 }
    self.init(
      duration: .nanoseconds(duration), isOver: report.isOver, mode: report.mode,
      tasks: tasks.prefix(10).map { work, duration, isRunning in
        TaskRun(
          origin: work.origin.description, timing: work.timing, duration: .nanoseconds(duration), isRunning: isRunning)
      }, name: name,
      // A task that another one has run at once is in the time of both.
      total: (pass.taskCount + running.count, .nanoseconds(min(pass.taskTime + runningTime, duration))))
  }
}
