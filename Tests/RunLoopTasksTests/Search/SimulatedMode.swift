import Foundation

@testable import RunLoopTasks

/// A mode of a simulated loop, or the common modes.
final class SimulatedMode: HostMode, @unchecked Sendable {
  // Unchecked, because only one thread of a simulation runs at a time.

  let name: RunLoop.Mode
  private unowned let loop: SimulatedLoop
  var timers = SimulatedTimers()
  var hasUserTimer = false
  var isObserved = false
  var isAttached = false
  var isCommonMode = false
  /// The date of the engine's timer.
  private(set) var date: Double?
  /// The date at which something else wakes the loop, because another timer holds up the engine's.
  var substitute: Double?

  init(_ name: RunLoop.Mode, _ loop: SimulatedLoop) { (self.name, self.loop) = (name, loop) }

  /// Whether tasks in some modes run here.
  func serves(_ modes: [RunLoop.Mode]) -> Bool { modes.contains(name) || isCommonMode && modes.contains(.common) }

  // MARK: What the engine calls

  func observe() { loop.call("observes \(name.rawValue)") { isObserved = true } }

  var isCommon: Bool { loop.call("asks whether \(name.rawValue) is common") { isCommonMode } }

  func attach() {
    loop.call("attaches \(name.rawValue)") {
      switch loop.configuration.fault {
      case .attachingIsForgotten: break
      case .attachingIsLate: loop.threads.afterUnlock { self.isAttached = true }
      default: isAttached = true
      }
    }
  }

  func detach() {
    loop.call("detaches \(name.rawValue)") {
      isAttached = false
      setDate(nil)
    }
  }

  func end() {}

  func arm(after seconds: Double?) {
    loop.call("makes \(name.rawValue) due") {
      guard loop.configuration.fault != .modesAreNotDue else { return }
      setDate(nil)
      guard let seconds else { return }
      loop.letPass(0)
      let date = loop.now + seconds
      setDate(date)
      if seconds > 0, timers.isMasked { substitute = date }
    }
  }

  // MARK: What the loop does

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
