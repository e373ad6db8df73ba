import Foundation

@testable import RunLoopTasks

/// A mode of a simulated loop, or the common modes.
final class SimulatedMode: HostMode, @unchecked Sendable {
  // Unchecked, because a simulation stays on one thread.

  let name: RunLoop.Mode
  private unowned let loop: SimulatedLoop
  var timers = SimulatedTimers()
  var hasUserTimer = false
  var isObserved = false
  var isAttached = false
  var isCommon = false
  /// Whether the mode has become a common mode in a run nested in its own run, which has had no observed activity since.
  var isUnnoticedCommon = false
  /// The date of the engine's timer.
  private(set) var date: Double?
  /// The date at which something else wakes the loop, because another timer holds up the engine's.
  var substitute: Double?

  init(_ name: RunLoop.Mode, _ loop: SimulatedLoop) { (self.name, self.loop) = (name, loop) }

  /// Whether tasks in some modes run here.
  func serves(_ modes: [RunLoop.Mode]) -> Bool { modes.contains(name) || isCommon && modes.contains(.common) }

  func observe() { isObserved = true }

  func attach() { if loop.configuration.fault != .attachingIsForgotten { isAttached = true } }

  func detach() {
    isAttached = false
    setDate(nil)
  }

  func makeDue(after seconds: Double) {
    guard loop.configuration.fault != .modesAreNotDue else { return }
    setDate(nil)
    loop.letPass(0)
    let date = loop.now + seconds
    setDate(date)
    if seconds > 0, timers.isMasked { substitute = date }
  }

  var secondsLeft: Double? { date.map { max(0, $0 - loop.now) } }

  func secondsToNextTimer(besides common: any HostMode) -> Double {
    timers.date(of: .user).map { $0 - loop.now } ?? .infinity
  }

  /// The engine's timer fires, in a run of a mode.
  func fire(_ timer: SimulatedTimers.Timer, in mode: SimulatedMode) {
    mode.timers.fire(timer)
    setDate(nil)
  }

  private func setDate(_ new: Double?) {
    (date, substitute) = (new, nil)
    if name == .common {
      for mode in loop.commonModes { mode.timers.set(.common, new) }
    } else {
      timers.set(.own, new)
    }
  }
}
