import Foundation

@testable import RunLoopTasks

/// A loop that a test plays by hand, and that counts what the engine asks of it.
final class CountingLoop: LoopDriver, @unchecked Sendable {
  // Unchecked, because a test stays on one thread.

  var running: [ModeID] = []
  var wakeUps = 0
  /// The alarms, in seconds from now, and whether one is set.
  var alarms: [Double] = []
  var isAlarmSet = false

  func observe(_: RunLoop.Mode) {}
  func takeProbe(from _: RunLoop.Mode) -> Bool { false }
  var isRunning: Bool { !running.isEmpty }
  func currentMode(_: Scheduler) -> ModeID? { running.last }
  func wakeUp() { wakeUps += 1 }
  func setAlarm(at date: Int64, _ scheduler: Scheduler) {
    isAlarmSet = date < .max
    if isAlarmSet { alarms.append(Double(date - scheduler.clock.now) / 1e9) }
  }
  func armCallBack(in _: RunLoop.Mode, _: @escaping () -> Void) {}
  func disarmCallBack() -> Bool { false }
  func runPass(in _: RunLoop.Mode, watch _: PassWatch?) {}
  func add(_: LoopSource, to _: RunLoop.Mode) {}
  func remove(_: LoopSource, from _: RunLoop.Mode) {}
  func add(_: LoopObserver, to _: RunLoop.Mode) {}
  func remove(_: LoopObserver, from _: RunLoop.Mode) {}
  func end() {}
}
