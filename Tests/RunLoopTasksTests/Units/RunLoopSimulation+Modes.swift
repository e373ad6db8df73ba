@testable import RunLoopTasks

extension RunLoopSimulation {
  struct Configuration: CustomStringConvertible {
    /// For each mode, whether it has a timer of a user, which keeps it alive.
    var hasTimer: [Bool]
    /// For each mode, whether the package observes it from the beginning.
    var isObserved: [Bool]
    /// Whether the first mode is a common one, and the second may become one.
    var usesCommonModes: Bool

    static let all = [false, true].flatMap { usesCommonModes in
      (0..<16).map { bits in
        Configuration(
          hasTimer: [bits & 1 != 0, bits & 2 != 0], isObserved: [bits & 4 != 0, bits & 8 != 0],
          usesCommonModes: usesCommonModes)
      }
    }

    var description: String {
      "timers of a user: \(hasTimer), observed: \(isObserved)\(usesCommonModes ? ", the first mode is common" : "")"
    }
  }

  static func name(_ mode: ModeID) -> String { mode == .common ? "common" : mode == modes[0] ? "A" : "B" }
}

// What the package calls.
extension RunLoopSimulation {
  func makeCommon(_ mode: ModeID) {
    guard !isCommon(mode) else { return }
    isCommonMode[Int(mode.index)] = true
    if engine.isAttached(.common) {
      wakeUp()
      engine.runs.noteNewCommonMode()
    }
    timers[Int(mode.index)].set(.common, timers[1].own)
  }

  /// Makes the timer of a keep-alive anew.
  func setTimer(of keepAlive: ModeID, isLater: Bool) {
    removeTimer(of: keepAlive)
    latestDate += 1
    setTimer(of: keepAlive, to: isLater ? SimulatedTimers.later : latestDate)
  }

  func removeTimer(of keepAlive: ModeID) { setTimer(of: keepAlive, to: .max) }

  private func setTimer(of keepAlive: ModeID, to date: Int) {
    guard keepAlive == .common else { return timers[Int(keepAlive.index)].set(.own, date) }
    timers[1].set(.own, date)
    for mode in Self.modes where isCommon(mode) { timers[Int(mode.index)].set(.common, date) }
  }

  /// Whether the timer of a keep-alive has yet to fire.
  func isTimerSet(of keepAlive: ModeID) -> Bool { timers[Int(keepAlive.index)].own != .max }
}
