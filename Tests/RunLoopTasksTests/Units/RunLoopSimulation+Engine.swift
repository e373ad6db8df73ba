import Foundation

@testable import RunLoopTasks

// What `Scheduler+Activities` does.
extension RunLoopSimulation {
  /// Calls all observers of an activity. One that is added meanwhile is not called.
  func perform(_ activity: RunLoop.Activity, _ mode: ModeID) throws {
    let isObserved = engine.isObserved(mode) || isCommon(mode) && engine.isObserved(.common)
    if activity == .entry {
      try callOut(.entryFirst)
      if isObserved { engine.runs.enter(mode) }
    }
    try callOut(.before(activity))
    if isObserved { try handle(activity, mode) }
    try callOut(.after(activity))
    if activity == .beforeWaiting || activity == .exit {
      if isObserved { finish(activity, mode) }
      if activity == .beforeWaiting {
        isUnobserved[isUnobserved.count - 1] = !isObserved
      } else if isObserved {
        observedExits[Int(mode.index)] += 1
      }
      try callOut(.last(activity))
    }
  }

  private func handle(_ activity: RunLoop.Activity, _ mode: ModeID) throws {
    if activity == .afterWaiting { engine.runs.noteWaking() }
    readMessages()
    if engine.runs.isNothingAttached, activity != .afterWaiting { return }
    noteActivity(in: mode)
    switch activity {
    case .entry:
      try runBatch([.leftBehind, .overdue], mode)
    case .beforeWaiting:
      let isIdle = engine.runs.isIdle && !hasTasks(in: [.nextLoopBegan, .currentLoopEnded, .overdue], mode)
      try runBatch([isIdle ? .idle : .currentLoopEnded, .overdue], mode)
    case .afterWaiting:
      engine.runs.beginTurn(wokenEarly: engine.runs.isTired && isTimerSet(of: mode))
      try runBatch([.nextLoopBegan, .overdue], mode)
      readMessages()
      detachIfEmpty(mode, isCommon: isCommon(mode))
    default:
      try runBatch([.currentLoopEnded, .idle, .overdue], mode)
    }
  }

  private func noteActivity(in mode: ModeID) {
    if engine.runs.depth == 0 || engine.keeps(.noteUnobservedRuns) { engine.runs.noteActivity(in: mode) }
  }

  private func finish(_ activity: RunLoop.Activity, _ mode: ModeID) {
    readMessages()
    noteActivity(in: mode)
    if activity == .exit { leave(mode) } else { check(mode) }
  }

  private func check(_ mode: ModeID) {
    var work = RunStack.Work()
    let isCommon = engine.runs.isAttached(.common) && isCommon(mode)
    work.isAttached = engine.runs.isAttached(mode) || isCommon
    work.canRun = hasTasks(in: [.nextLoopBegan, .currentLoopEnded, .overdue], mode)
    work.hasIdleTask = hasTasks(in: .idle, mode)
    let isNeeded = engine.keeps(.wakeThoughNothingIsPending) || work.canRun || work.hasIdleTask
    switch engine.runs.check(work) {
    case .none: break
    case .wakeUp: if isNeeded, engine.keeps(.wakeAtLastCheck) { wakeUp() }
    case .later: makeDue(mode, isLater: true)
    case .due, .atAlarm: fatalError("There are no budgets and no delays here")
    }
  }

  private func leave(_ mode: ModeID) {
    let isCommon = engine.runs.mustKnowCommonModes && isCommon(mode)
    engine.pending.noteExit(of: mode)
    if isCommon { engine.pending.noteExit(of: .common) }
    var others = engine.runs.leave(isCommon: isCommon)
    let outer = engine.runs.innermost
    if !engine.keeps(.makeOuterModeDue) { others.removeAll { $0 == outer } }
    if !engine.keeps(.makeFirstObservedModesDue) { others.removeAll { $0 != outer } }
    for other in others { makeDue(other) }
    detachIfEmpty(mode, isCommon: isCommon, except: others)
  }

  private func detachIfEmpty(_ mode: ModeID, isCommon: Bool, except others: [ModeID] = []) {
    for mode in isCommon ? [mode, .common] : [mode] where engine.runs.isAttached(mode) && !others.contains(mode) {
      guard !engine.pending.hasTasks(in: mode), engine.mailbox.isEmpty, engine.keeps(.detach) else { continue }
      engine.latestMode = nil
      engine.keepAlives[Int(mode.index)].isAttached = false
      engine.runs.setAttached(mode, false)
      removeTimer(of: mode)
    }
  }

  /// As `LoopAttachment.makeDue`, and `Scheduler.makeDue`.
  func makeDue(_ mode: ModeID, isLater: Bool = false) {
    _ = engine.attach(mode)
    engine.runs.setAttached(mode, true)
    setTimer(of: mode, isLater: isLater)
  }

  private func runBatch(_ lists: ListSet, _ mode: ModeID) throws {
    guard hasTasks(in: lists, mode) else { return }
    let (batch, run) = (engine.pending.beginBatch(), engine.runs.depth - 1)
    while let task = engine.pending.removeFirst(in: lists, of: mode, isCommon: isCommon(mode), batch: batch) {
      note("a task for \(task.timing) runs")
      idleTurns = 0
      engine.runs.noteTask(in: run, isIdle: task.timing == .idle)
      try callOut(.task)
    }
  }

  func hasTasks(in lists: ListSet, _ mode: ModeID) -> Bool {
    engine.pending.hasTasks(in: lists, of: mode) || isCommon(mode) && engine.pending.hasTasks(in: lists, of: .common)
  }
}
