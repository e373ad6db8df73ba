import CoreFoundation
import Foundation

// What wakes the loop, so that it does not sleep while there is something to do, or to find out.
extension Scheduler {
  /// Wakes the loop, at once or after a nap, if there is something to do, or to find out, in the innermost run.
  ///
  /// Even if it was woken before: a nested run may have consumed that.
  ///
  /// - Returns: whether there is.
  func lookAgain(in run: Int, of mode: ModeEntry) -> Bool {
    let isBacklog = runs[run].isCutShort && hasPending(in: mode)
    guard mustLookAgain(in: run, of: mode) else {
      runs[run].looks.reset()
      return false
    }
    let hasWork = isBacklog || hasPending(.nextLoopBegan, in: mode) || hasPending(.currentLoopEnded, in: mode)
    if hasWork { runs[run].looks.reset() }
    let nap = hasWork ? 0 : runs[run].looks.next()
    // A timer for a backlog, so that other timers keep their turns: on Linux a round serves one port, and a wake-up would take it
    // from theirs. Not in a nested run, for which the timer that woke the outer one may be spent.
    if nap > 0 || isBacklog && runs.count == 1 && unheard.isEmpty { arm(mode, after: nap) } else { wake() }
    return true
  }

  /// Whether there is something to do, or to find out, that was not yet asked for.
  func mustLookAgain(in run: Int, of mode: ModeEntry) -> Bool {
    defer { (runs[run].mayBeEmpty, runs[run].isCutShort) = (false, false) }
    return hasPending(in: mode) || runs[run].mayBeEmpty || !released.isEmpty
  }

  /// CoreFoundation notices an emptied mode only after it has slept, so the runs under way must be woken once; and a run that it has
  /// entered, but `beginRun` has not heard.
  func noteEmptiedMode() {
    hasEmptiedMode = true
    for index in runs.indices { runs[index].mayBeEmpty = true }
  }

  /// Wakes the loop from its next sleep in the mode that it runs in, if something is pending there.
  ///
  /// Not by a wake-up, which a nested run could consume before.
  func stayAwake() {
    guard let mode = currentMode() else {
      isPastLastCheck = false
      return
    }
    guard hasPending(in: mode) else { return }
    isPastLastCheck = false
    arm(mode)
  }

  /// Wakes the loop, which must be the current thread's, or be kept from ending by the `bell`.
  func wake() { loop?.borrow(CFRunLoopWakeUp) }

  /// Wakes the loop from its next sleep in `mode`, even if a nested run in another mode consumes all wake-ups.
  func arm(_ mode: ModeEntry, after seconds: TimeInterval = 0) {
    if let timer = mode.wakeTimer { timer.cancel() } else { armed.append(mode) }
    mode.wakeTimer = WakeTimer(CFRunLoopGetCurrent(), in: mode.anchor.cfMode, after: seconds)
  }

  /// Takes the timer back, without which the mode may be empty.
  ///
  /// - Returns: whether it had yet to wake the loop.
  @discardableResult
  func disarm(_ mode: ModeEntry) -> Bool {
    guard let timer = mode.wakeTimer else { return false }
    mode.wakeTimer = nil
    armed.removeAll { $0 === mode }
    guard timer.cancel() else { return false }
    noteEmptiedMode()
    return true
  }

  func disarmAll() {
    for mode in armed { disarm(mode) }
  }
}
