import Foundation

// The yielding of idle tasks.
//
// When a batch was cut short, the idle tasks of its mode wait until the loop has looked at everything else that is ready,
// however it is driven, but for nested runs. In one long run the loop sleeps, and a timer that is due at once calls back:
//
//     slice ─ last look ─ sleep ─ timers, call back ─ main queue, sources ─ beforeWaiting: slice
//
// Runs that a source ends at once may never sleep. Each serves its sources and one port, and wake-ups, timers and the main
// queue have one port each, so the third `exit` ends the waiting:
//
//     slice, exit ─ run: sources, a port, exit ─ run: sources, a port, exit ─ run: sources, a port, exit: slice
//
// A timer must not call back in such runs, because one that is due would come before the main queue each time.

/// The idle tasks of a mode wait, and so does the rest of a batch that was cut short.
struct Yielding {
  let mode: ModeID
  /// How many more exits of runs end the waiting.
  var exitsLeft = 3
  /// The first `beforeWaiting` from this date of the task clock on ends the waiting. Without a sleep it is `.max`. From the
  /// first sleep on it is 0.1 s later, or the date at which the loop has called back. Before that `beforeWaiting`, the loop
  /// serves its sources.
  var end = Int64.max
}

extension Scheduler {
  func isYielding(in mode: ModeID) -> Bool { yielding?.mode == mode }

  /// The list of idle tasks, if they need not wait.
  func dueIdleTasks(in mode: ModeID) -> ListSet { isYielding(in: mode) && areIdleTasksSliced ? [] : .idle }

  var areIdleTasksSliced: Bool { drivenPass?.isSliced ?? true }

  /// Lets idle tasks wait, and the rest of a batch that was cut short come after the timers. Does nothing in a nested run,
  /// where the timer that calls back may be held up: one that has woken an outer run, and has not fired yet, holds up all
  /// others.
  func startYielding(in mode: ModeID) {
    if runs.count == 1, areIdleTasksSliced, !isYielding(in: mode) { yielding = Yielding(mode: mode) }
  }

  /// Lets the loop call back after the timers that are due, before a sleep.
  ///
  /// - Returns: the latest date until which to wait. The call back may fail to come: an outer run that began before the
  ///   package was used is not among the known runs, and may hold up the timer.
  func waitForCallBack(in mode: ModeID) -> Int64 {
    loop?.callBack(in: self[mode].name) { [unowned self] in yielding?.end = clock.now }
    let end = min(yielding?.end ?? .max, clock.now.addingSaturated(Self.backOff))
    yielding?.end = end
    return end
  }

  // MARK: The end

  func endYieldingInTime() {
    if let yielding, yielding.end <= clock.now { endYielding() }
  }

  func endYielding(atExitIn mode: ModeID) {
    guard isYielding(in: mode) else { return }
    yielding?.exitsLeft -= 1
    if yielding?.exitsLeft == 0 { endYielding() }
  }

  /// Ends the waiting if a run begins that is nested or has another mode, because it may not come to what ends the waiting
  /// otherwise, or if a sliced pass begins, which serves everything that is ready before the turn of idle tasks.
  func endYielding(atEntryOf run: Run) {
    if runs.count > 1 || !isYielding(in: run.mode) || run.pass?.isSliced == true { endYielding() }
  }

  func endYielding() {
    yielding = nil
    loop?.cancelCallBack()
    requestRechecks()  // the timer for the call back may have been all that the mode had
  }
}
