import Foundation

/// A run loop, as the engine sees it.
///
/// `SystemLoop` is the real loop. The tests have one that simulates what makes waking hard: wake-ups that are
/// ignored or consumed by a nested run, empty modes, polls, and modes that become common.
///
/// The loop calls the scheduler back in the modes that it observes: `runBegins` at `entry`, before other observers;
/// `handle` at `entry`, `beforeWaiting`, `afterWaiting` and `exit`, among them; `lastLook` at `beforeWaiting` and
/// `exit`, after them. Only observers of order `.min` that were added earlier come before these calls, and only
/// those of order `.max` that were added later come after them.
protocol LoopDriver: AnyObject, Sendable {
  /// Calls the scheduler back at the activities of a mode, or of the common modes, from now on, or from when the loop
  /// is given its scheduler. Wakes the loop, so that a run under way comes to its next activity. The lock of
  /// the inbox is held.
  func observe(_ mode: RunLoop.Mode)

  /// Takes the probe out of a mode. Only the loop's own thread calls this.
  ///
  /// The probe is a source that is in each common mode but `.default`, also in one that becomes common, until this is
  /// called. It keeps the mode's runs alive. Never called for `.common` itself.
  ///
  /// - Returns: whether it was there: `true` once for each of these modes.
  func takeProbe(from mode: RunLoop.Mode) -> Bool

  /// The loop is inside a run, in any mode. Any thread may ask as long as the loop exists.
  var isRunning: Bool { get }

  /// The mode of the innermost run, `nil` outside a run. Only the loop's own thread calls this.
  func currentMode(_ scheduler: Scheduler) -> ModeID?

  /// Ends the current sleep of the loop, or its next one, if the loop does not ignore it.
  ///
  /// The loop ignores it outside a run, and from `afterWaiting` to the end of the iteration. A nested run may consume
  /// it. Any thread may call this as long as the loop exists.
  func wakeUp()

  /// Wakes the loop at a date of the scheduler's clock, `.max` for never. The next call replaces the date.
  func setAlarm(at date: Int64, _ scheduler: Scheduler)

  /// Ends the next sleep in a mode, and calls `body` once, among the timers that are due. If a callback is armed already,
  /// that one comes in this mode as well, and `body` is not called.
  func armCallBack(in mode: RunLoop.Mode, _ body: @escaping () -> Void)

  /// - Returns: whether a callback was armed.
  func disarmCallBack() -> Bool

  /// Runs one pass in a mode that is observed, without sleeping.
  ///
  /// - Parameter watch: is told of its rounds.
  func runPass(in mode: RunLoop.Mode, watch: PassWatch?)

  /// Adds and removes the sources and observers of users, and the source that keeps modes alive.
  func add(_ source: LoopSource, to mode: RunLoop.Mode)
  func remove(_ source: LoopSource, from mode: RunLoop.Mode)
  func add(_ observer: LoopObserver, to mode: RunLoop.Mode)
  func remove(_ observer: LoopObserver, from mode: RunLoop.Mode)

  /// Calls the scheduler back no more.
  func end()
}

/// Called at `beforeTimers` of each round of a pass in which the loop may go to sleep, and at the `beforeWaiting` that
/// ends it.
package typealias PassWatch = (RunLoop.Activity) -> Void
