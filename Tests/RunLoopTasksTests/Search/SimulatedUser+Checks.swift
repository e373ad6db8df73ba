import Foundation

@testable import RunLoopTasks

// What must not happen.
extension SimulatedUser {
  func noteTurn() throws {
    turns += 1
    idleTurns += 1
    (busyTurns, hasCause) = (hasCause ? busyTurns + 1 : 0, false)
    if idleTurns > Self.maxIdleTurns { throw End.hole("turns round and round") }
  }

  /// Lets the engine run a batch of tasks.
  func inBatch(at place: Point = .task, _ body: () -> Void) throws {
    let (outerBatch, outerPlace) = (batch, self.place)
    (batch, self.place) = ([], place)
    body()
    (batch, self.place) = (outerBatch, outerPlace)
    if let failure { throw failure }
  }

  func runs(_ scheduled: Scheduled) {
    guard failure == nil else { return }
    note("task \(scheduled.number) runs")
    noteCause()
    do {
      if scheduled.isCancelled { throw End.hole("runs a cancelled task") }
      if scheduled === runsNow { runsNow = nil } else { try checkTurn(of: scheduled) }
      try callOut(place)
    } catch {
      failure = error as? End
    }
  }

  /// A task runs in a batch. One that runs now has no turn.
  private func checkTurn(of scheduled: Scheduled) throws {
    let plain = (batch + [scheduled]).filter(\.isPlain)
    if let last = plain.dropLast().last, scheduled.isPlain, last.rank > scheduled.rank {
      throw End.hole("runs a task before an earlier one")
    }
    if let mode = loop.running.last, !loop.mode(mode).serves(scheduled.plan.modes) {
      throw End.hole("runs a task in a mode that is not its own")
    }
    batch.append(scheduled)
  }

  func checkEmpty(_ mode: SimulatedMode) throws {
    note("\(mode.name.rawValue) is empty")
    let tasks = scheduled.filter { !$0.isInFlight && mode.serves($0.plan.modes) }
    if tasks.contains(where: { $0.task.state == .pending }) {
      throw End.hole("a run of a mode with a task ends at once")
    }
  }

  func checkSleep(in mode: SimulatedMode, until end: Double) throws {
    if let failure { throw failure }
    try checkCount()
    let pending = scheduled.filter { mode.serves($0.plan.modes) && $0.task.state == .pending }
    // A timer that ends the sleep is a microsecond later than what it was set for.
    let ready = pending.filter { readyDate($0) + 2e-3 < min(end, loop.now + 50) }
    if !ready.isEmpty, !mayBackOff(ready, end), !loop.isInnermostExcused { throw End.hole("sleeps on a task") }
    if loop.isEmpty(mode) { throw End.hole("sleeps in an empty mode") }
    if pending.isEmpty, !mode.hasUserTimer, !mayBackOff([], end) { throw End.hole("sleeps though nothing is left") }
    noteSleep(until: end)
  }

  func noteSleep(until end: Double) {
    idleTurns = 0
    if end < .infinity { causes += 1 }
  }

  /// The loop has ended.
  func checkEnd() throws {
    if let failure { throw failure }
    if scheduled.contains(where: { $0.task.state == .pending }) { throw End.hole("a task outlives its loop") }
    try checkCount()
  }

  private func checkCount() throws {
    let pending = scheduled.count { $0.task.state == .pending }
    if queue.count != pending { throw End.hole("counts other tasks than those that are pending") }
  }

  /// Whether the loop may sleep for a short time, because others have kept it busy in vain.
  private func mayBackOff(_ ready: [Scheduled], _ end: Double) -> Bool {
    busyTurns >= 3 && end <= loop.now + 0.1 && ready.allSatisfy { $0.task.timing == .idle }
  }

  private func readyDate(_ scheduled: Scheduled) -> Double {
    guard scheduled.task.whereabouts == .waiting, let options = scheduled.task.options else { return loop.now }
    return Double(min(max(options.delayEnd, options.intervalEnd), options.leastLimitEnd) - loop.base) / 1e9
  }
}
