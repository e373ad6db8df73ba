import Foundation

// The yielding of idle tasks.
//
// When a batch was cut short, idle tasks wait until the loop has looked at everything else that is ready, however it is
// driven and in whatever modes. In nested runs they do not wait, as these may never come to what ends the waiting, nor in
// passes without slices. In one long run the loop sleeps, and a timer that is due at once calls back:
//
//     slice ─ last look ─ sleep ─ timers, call back ─ main queue, sources ─ beforeWaiting: slice
//
// Runs that a source ends at once may never sleep. Each serves at least one source and one port. So an `exit` ends the
// waiting, once there was one for each port, and one more for each source of the package that has commands. The sources
// and ports of other code cannot be counted, so theirs may be served later:
//
//     slice, exit ─ run: a source, a port, exit ─ run: a source, a port, exit ─ run: a source, a port, exit: slice
//
// No timer is armed at an `exit`, because one that is due would come before the main queue in each such run.

/// Idle tasks wait. Before the rest of a batch that was cut short, a sleep lets the timers come first.
struct Yielding {
  /// The ports of a loop: that of its wake-ups, that of its timers, and that of the main queue.
  static let ports = 3

  /// The waiting ends at the latest with this many more exits of outermost runs.
  var exitsLeft: Int
  /// The date of the task clock from which on a `beforeWaiting` of the outermost run ends the waiting: when the call back
  /// came, or 0.1 s after the first sleep of the waiting in this run; `.max` before that, and again after each exit.
  /// Ahead of that `beforeWaiting`, the loop serves its sources.
  var end = Int64.max

  /// Notes an activity of the outermost run.
  ///
  /// - Returns: whether the waiting ends.
  mutating func note(_ activity: RunLoop.Activity, of run: Run, _ now: Int64) -> Bool {
    switch activity {
    case .entry: return run.pass == .sliced  // which serves everything else before idle tasks
    case .beforeWaiting: return end <= now
    case .exit:
      // A further run looks at the main queue only after its first `beforeWaiting`.
      (exitsLeft, end) = (exitsLeft - 1, .max)
      return exitsLeft == 0
    default: return false
    }
  }
}

extension Scheduler {
  /// The list of idle tasks, if they need not wait.
  var dueIdleTasks: ListSet { mustYield ? [] : .idle }

  var areIdleTasksSliced: Bool { drivenPass != .unsliced }

  /// The innermost run has to let idle tasks wait.
  var mustYield: Bool { yielding != nil && mayYield }

  private var mayYield: Bool { runs.count == 1 && areIdleTasksSliced }

  /// Lets idle tasks wait, and the rest of a batch that was cut short come after the timers.
  func startYielding() {
    guard mayYield, yielding == nil else { return }
    yielding = Yielding(exitsLeft: Yielding.ports + sources.count(where: \.isReady))
  }

  /// Lets the loop call back among the timers that are due, before a sleep.
  ///
  /// - Returns: the latest date until which to wait. The call back may fail to come: an outer run that began before its mode
  ///   was observed is not among the known runs, and may hold up the timer.
  func armCallBack(in mode: ModeID) -> Int64 {
    loop?.armCallBack(in: self[mode].name) { [unowned self] in yielding?.end = clock.now }
    let end = min(yielding?.end ?? .max, clock.now.addingSaturated(Self.backOff))
    yielding?.end = end
    return end
  }

  /// Takes away the timer that calls back. It may just have woken a run of its mode. Inside a nested run of that mode it
  /// then cannot fire, holds up all other timers and keeps the mode alive. The outermost run arms it anew before it
  /// sleeps:
  ///
  ///     outermost run    slice ─ sleep ─ the timer is due ─ afterWaiting ┐                      ┌ … ─ sleep: armed anew
  ///     nested run                                                       └ begins: taken away ──┘
  func disarmCallBack() {
    // The timer may have been all that the mode had.
    if loop?.disarmCallBack() == true { forEachRun { $0.requestRecheck() } }
  }

  func endYielding() {
    yielding = nil
    disarmCallBack()
  }
}
