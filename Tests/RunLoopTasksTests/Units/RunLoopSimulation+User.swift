import Foundation

@testable import RunLoopTasks

// What users do: this code decides what happens where the loop or the package calls out.
extension RunLoopSimulation {
  typealias Wish = SimulatedEngine.Wish

  /// Where something may happen.
  enum Point {
    case outside, source, timer, task
    /// In an observer that is called before the package's first one, at `entry`.
    case entryFirst
    /// In an observer before or after the one that runs tasks.
    case before(RunLoop.Activity), after(RunLoop.Activity)
    /// In an observer that is called after the package's last one.
    case last(RunLoop.Activity)

    var isLast: Bool { if case .last = self { true } else { false } }
    var isFirst: Bool { if case .entryFirst = self { true } else { false } }
  }

  /// What may happen.
  enum Deed: CustomStringConvertible {
    case nothing
    case perform(Wish), post(Wish)
    case cancelAll, postCancelAll
    case stop, makeCommon
    case run(ModeID), poll(ModeID)

    var description: String {
      switch self {
      case .nothing: "nothing"
      case .perform(let wish): "schedules a task (\(wish))"
      case .post(let wish): "another thread schedules a task (\(wish))"
      case .cancelAll: "cancels all tasks"
      case .postCancelAll: "another thread cancels all tasks"
      case .stop: "stops the run"
      case .makeCommon: "makes B a common mode"
      case .run(let mode): "runs \(RunLoopSimulation.name(mode))"
      case .poll(let mode): "polls \(RunLoopSimulation.name(mode))"
      }
    }

    static let all = deeds(for: RunLoopSimulation.modes)
    static let allWithCommonModes = deeds(for: RunLoopSimulation.modes + [.common]) + [.makeCommon]

    private static func deeds(for modes: [ModeID]) -> [Deed] {
      let wishes = modes.flatMap { mode in RunLoopTask.Timing.allCases.map { Wish(timing: $0, mode: mode) } }
      return [.nothing] + wishes.flatMap { [.perform($0), .post($0)] } + [.cancelAll, .postCancelAll, .stop]
        + RunLoopSimulation.modes.flatMap { [.run($0), .poll($0)] }
    }
  }

  /// Lets a few runs take place, the user doing something outside them too.
  func go(runs: Int) throws {
    for _ in 0..<runs {
      try callOut(.outside)
      try run(Self.modes[choices.next(2)])
    }
  }

  func callOut(_ point: Point) throws {
    callouts += 1
    guard callouts <= Self.maxCallouts else { throw End.tooLong }
    let deeds = configuration.usesCommonModes ? Deed.allWithCommonModes : Deed.all
    let deed = deeds[choices.next(deeds.count)]
    if case .nothing = deed { return }
    note("[\(point)] \(deed)")
    idleTurns = 0
    switch deed {
    case .nothing: break
    case .perform(let wish): perform(wish)
    case .post(let wish): post(wish)
    case .cancelAll:
      readMessages()
      cancelAll()
    case .postCancelAll: send(.cancelAll, mustWake: engine.mailbox.isEmpty)
    case .stop: stop()
    case .makeCommon: makeCommon(Self.modes[1])
    case .run(let mode): if mayRun(mode, at: point) { try run(mode) }
    case .poll(let mode): if mayRun(mode, at: point) { try run(mode, isPoll: true) }
    }
  }

  /// See `WakingSearchTests` for what is excluded.
  private func mayRun(_ mode: ModeID, at point: Point) -> Bool {
    guard running.count < Self.maxDepth, !point.isFirst else { return false }
    return !point.isLast || engine.isObserved(mode) || isCommon(mode) && engine.isObserved(.common)
  }

  // MARK: What `Scheduler+Scheduling` does

  private func perform(_ wish: Wish) {
    readMessages()
    schedule(wish)
  }

  private func schedule(_ wish: Wish) {
    let task = RunLoopTask(.ended, wish.timing, fileID: #fileID, line: #line) {}
    task.setModeIDs([wish.mode])
    engine.pending.add(task, at: 0)
    attach(wish.mode)
  }

  private func attach(_ mode: ModeID) {
    let wasAttached = engine.runs.isAttached(mode)
    if wasAttached, !engine.runs.isAboutToSleep { return }
    let new = wasAttached ? [] : engine.attach(mode)
    engine.runs.setAttached(mode, true)
    if !running.isEmpty { for mode in new { engine.runs.noteFirstObserved(mode) } }
    let isServed = running.last.map { $0 == mode || mode == .common && isCommon($0) } ?? false
    guard
      engine.runs.noteIncomingTask(
        for:
          mode, current: running.last, isServed: isServed, wasAttached: wasAttached, isNew: !new.isEmpty),
      engine.keeps(.wakeWhenAttached)
    else { return }
    makeDue(mode)
    wakeUp()
  }

  private func cancelAll() {
    for task in engine.pending.all { engine.pending.remove(task) }
  }

  /// Another thread schedules a task, see `LoopAttachment.post`.
  func post(_ wish: Wish) {
    var mustWake = engine.mailbox.isEmpty
    if engine.latestMode != wish.mode, !engine.isAttached(wish.mode) {
      let new = engine.attach(wish.mode)
      engine.attachedByOthers.append(wish.mode)
      if !new.isEmpty, !running.isEmpty {
        setTimer(of: wish.mode, isLater: false)
        engine.firstObservedByOthers += new
      }
      mustWake = true
    }
    engine.latestMode = wish.mode
    send(.schedule(wish), mustWake: mustWake)
  }

  private func send(_ message: SimulatedEngine.Message, mustWake: Bool) {
    engine.mailbox.append(message)
    if mustWake { wakeUp() }
  }

  func readMessages() {
    guard !engine.mailbox.isEmpty else { return }
    let messages = engine.mailbox
    engine.runs.noteMessages()
    for mode in engine.attachedByOthers { engine.runs.setAttached(mode, true) }
    for mode in engine.firstObservedByOthers { engine.runs.noteFirstObserved(mode) }
    (engine.mailbox, engine.attachedByOthers, engine.firstObservedByOthers) = ([], [], [])
    for message in messages {
      switch message {
      case .schedule(let wish): schedule(wish)
      case .cancelAll: cancelAll()
      }
    }
  }
}
