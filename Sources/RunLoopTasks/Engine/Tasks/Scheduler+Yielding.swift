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
  /// How many more exits of runs end the waiting: one for each port that a run may serve.
  var exitsLeft = 3
  /// The date of the task clock from which on a `beforeWaiting` ends the waiting: that of the call back, or 0.1 s after the
  /// first sleep; `.max` before any sleep. Ahead of that `beforeWaiting`, the loop serves its sources.
  var end = Int64.max

  /// Whether the waiting ends at an activity.
  ///
  /// A run that is nested or has another mode may not come to what ends the waiting otherwise. A sliced pass serves
  /// everything that is ready before the turn of idle tasks.
  mutating func isOver(at activity: RunLoop.Activity, of run: Run, isNested: Bool, _ now: Int64) -> Bool {
    if isNested || run.mode != mode { return true }
    switch activity {
    case .entry: return run.pass?.isSliced == true
    case .beforeWaiting: return end <= now
    case .exit:
      exitsLeft -= 1
      return exitsLeft == 0
    default: return false
    }
  }
}

extension Scheduler {
  func isYielding(in mode: ModeID) -> Bool { yielding?.mode == mode }

  /// The list of idle tasks, if they need not wait.
  var dueIdleTasks: ListSet { yielding != nil && areIdleTasksSliced ? [] : .idle }

  var areIdleTasksSliced: Bool { drivenPass?.isSliced ?? true }

  /// Lets idle tasks wait, and the rest of a batch that was cut short come after the timers. Does nothing in a nested run,
  /// where the timer that calls back may be held up: one that has woken an outer run, and has not fired yet, holds up all
  /// others.
  func startYielding(in mode: ModeID) {
    guard runs.count == 1, areIdleTasksSliced, !isYielding(in: mode) else { return }
    if yielding != nil { endYielding() }  // that of another mode, and its call back
    yielding = Yielding(mode: mode)
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

  func endYielding() {
    yielding = nil
    loop?.cancelCallBack()
    requestRechecks()  // the timer for the call back may have been all that the mode had
  }
}
