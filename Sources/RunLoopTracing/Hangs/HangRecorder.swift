import Foundation
import RunLoopTasks

/// Watches a loop for passes that last too long.
///
/// Nothing polls. The beginning of a pass sets a look, unless one is set already. A thread makes the look, and finds that
/// the loop sleeps, and sets no other; or a pass that may pass its limit, and sets the next look for that; or the pass
/// that is too long:
///
///     passes     ├──┤ ├─┤├──┤ ├──── … ──────────────┤
///     looks      └──── 0.7 ────┴──── 0.7 ────┴ 0.2: told
final class HangRecorder: LoopRecorder {
  private struct State {
    var nesting: Nesting<HangPasses>
    var clock: HangClock
    var isOver = false
    /// Counts what the loop has told.
    var version = 0
  }

  private let name: String
  private let limit: Int64
  private let reports: HangReports
  private let uptime: @Sendable () -> Int64
  private let state: Locked<State>
  /// Signalled when a look is set, and at the end.
  private let hasNews = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - mode: the mode in which the loop runs, `nil` outside a run.
  ///   - uptime: tells the time in nanoseconds.
  init(
    name: String, limit: Int64, in mode: RunLoop.Mode?, _ reports: HangReports,
    uptime: @escaping @Sendable () -> Int64 = nanosecondsOfUptime
  ) {
    (self.name, self.limit, self.reports, self.uptime) = (name, limit, reports, uptime)
    let now = uptime()
    var nesting = Nesting(HangPasses(limit: limit), at: now)
    if let mode { nesting.beginUnseenRun(in: mode, at: now) }
    // Of the time to a look, less than the limit counts in all, so a pass that is short but for a stop is no hang. Where
    // the limit is short, the process may only have had no processor for that long.
    state = Locked(State(nesting: nesting, clock: HangClock(patience: max(limit / 5, 20_000_000))))
  }

  /// Begins to look.
  ///
  /// - Parameter findHiddenRun: looks for a hidden run of the loop.
  func begin(_ findHiddenRun: @escaping @Sendable () -> HiddenRun) {
    change { _, _ in }
    let thread = Thread { [self] in
      Thread.current.name = "RunLoopTracing"  // on Linux, a thread takes no name before it has started
      makeLooks(findHiddenRun)
    }
    thread.qualityOfService = .userInteractive
    thread.stackSize = 1 << 18
    thread.start()
  }

  /// Ends. Nothing more is reported.
  func end() {
    close { _, _ in }
    reports.end()
  }

  /// Ends. What has happened is still reported.
  func endAfterAll() {
    close { state, _ in state.nesting.sink.finishLeft() }
    reports.endAfterAll()
  }

  private func close(_ body: (inout State, Int64) -> Void) {
    change(body)
    state.withLock { $0.isOver = true }
    hasNews.signal()
  }

  /// Changes the state, makes the reports, and sets a look.
  private func change(_ body: (inout State, Int64) -> Void) {
    state.withLock { state in
      if state.isOver { return }
      state.version += 1
      let time = state.clock.time(at: uptime())
      body(&state, time)
      if state.clock.nextLook == nil, let deadline = state.nesting.sink.deadline {
        state.clock.setNextLook(at: min(deadline, time + limit / 10 * 7))
        hasNews.signal()
      }
      // With the lock, so that the loop's thread, which tells that a hang is over, does not overtake the one that looks:
      //
      //     look     lock ─ the limit has passed: adds ─ unlock
      //     loop                                         lock ─ the pass is over: adds ─ unlock
      for report in state.nesting.sink.reports { reports.add(RunLoopHang(report, of: name)) }
      state.nesting.sink.reports = []
    }
  }

  // MARK: The looks

  /// On a thread of its own, until the end.
  private func makeLooks(_ findHiddenRun: () -> HiddenRun) {
    while let date = state.withLock({ $0.isOver ? nil : $0.clock.nextLook ?? .max }) {
      let isNews = hasNews.wait(timeout: date == .max ? .distantFuture : DispatchTime(uptimeNanoseconds: UInt64(date)))
      if isNews == .timedOut { look(findHiddenRun) }
    }
  }

  func look(_ findHiddenRun: () -> HiddenRun) {
    let (isDue, version) = state.withLock { state in
      (state.nesting.sink.deadline ?? .max <= state.clock.time(at: uptime()), state.version)
    }
    // CoreFoundation's lock of the loop is not taken under that of the recorder.
    let hidden = isDue ? findHiddenRun() : .none
    change { state, time in
      state.clock.setNextLook(at: nil)
      switch hidden {
      case .underWay(let mode) where state.version == version + 1: state.nesting.beginHiddenRun(in: mode)
      case .perhapsOver, .underWay: state.nesting.sink.restartPass(at: time)
      // Whatever the loop has told meanwhile, as in a hang of many short tasks.
      case .none: if isDue { state.nesting.sink.look(at: time) }
      }
    }
  }

  // MARK: What the loop tells

  func loopComes(to moment: LoopMoment) { change { $0.nesting.come(to: moment, at: $1) } }
  func workBegins(_ work: LoopWork, at frame: UInt) { change { $0.nesting.begin(work, at: frame, time: $1) } }
  func workEnds(_ id: UInt) { change { $0.nesting.endWork(id, at: $1) } }
  func loopEnds() {
    change { $0.nesting.endAll(at: $1) }
    endAfterAll()
  }
}
