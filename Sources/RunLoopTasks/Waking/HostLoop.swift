import Foundation

/// All that the engine knows of a run loop.
///
/// `CoreFoundation/` has the real loop. The tests have one that simulates what makes waking hard: wake-ups that are
/// ignored or consumed by a nested run, timers that others hold up, empty modes, polls, and modes that become common.
///
/// A host calls the scheduler back: `beforeObservers` at `entry`, before other observers; `handle` at `entry`,
/// `beforeWaiting`, `afterWaiting` and `exit`, among them; `afterObservers` at `beforeWaiting` and `exit`, after them;
/// and `modeHasBecomeCommon` on any thread, under a lock of the host, as long as the common modes are attached.
protocol HostLoop: AnyObject, Sendable {
  /// The host's part of a mode. The engine calls this once for each mode.
  func makeMode(_ name: RunLoop.Mode) -> any HostMode

  /// The loop is inside a run. Any thread may call this.
  var isRunning: Bool { get }

  /// The mode of the innermost run, `nil` outside a run. Only the loop's own thread calls this.
  func currentMode(_ scheduler: Scheduler) -> ModeID?

  /// Ends the current sleep of the loop, or its next one, if the loop does not ignore it.
  ///
  /// The loop ignores it outside a run, from `afterWaiting` to the end of the iteration, and from the `exit` of a
  /// nested run until that has returned. A nested run may consume it. Any thread may call this as long as the loop
  /// exists.
  func wakeUp()

  /// Adds and removes what users add to the loop.
  func add(_ source: LoopSource, to mode: RunLoop.Mode)
  func remove(_ source: LoopSource, from mode: RunLoop.Mode)
  func add(_ observer: LoopObserver, to mode: RunLoop.Mode)
  func remove(_ observer: LoopObserver, from mode: RunLoop.Mode)

  /// Removes the observers of the package from the loop for good, as its thread is ending.
  func end()
}

/// A mode of a host, or the common modes.
///
/// The calls to it are made with the lock of `LoopAttachment` held.
protocol HostMode: AnyObject, Sendable {
  /// Calls the scheduler back at the activities of this mode from now on.
  func observe()

  /// This is one of the common modes.
  var isCommon: Bool { get }

  /// Keeps runs of the mode alive.
  func attach()

  /// Undoes `attach` and `arm`.
  func detach()

  /// Ends the next sleep in this mode after some seconds, even if nested runs of other modes consume wake-ups; `nil`
  /// takes that back. If another timer holds up the one that does it, the host wakes the loop at that date instead.
  func arm(after seconds: Double?)

  /// Removes what `attach` and `arm` have added for good, as the thread of the loop is ending.
  func end()
}
