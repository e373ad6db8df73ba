import Foundation

// The yielding of idle tasks.
//
// When a batch was cut short, idle tasks wait until the loop has looked at everything else that is ready, however it is
// driven and in whatever modes. In passes without slices they do not wait. In one long run the loop sleeps, and a timer
// that is due at once calls back:
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
//
// Runs nested in a callback of a run that waits, such as those of a modal loop, wait in the same way, each level of
// nesting by itself. A nested run may look at less than the run around it, and the run around it may never come to look
// meanwhile:
//
//     level 1    slice ─ sleep ─ a timer ┐                                            ┌ waits on
//     level 2                            └ waits ─ sleep, call back ─ slice ─ … ─ exit ┘

/// Idle tasks wait. Before the rest of a batch that was cut short, a sleep lets the timers come first.
struct Yielding {
  /// The waiting of the runs at one level of nesting.
  private struct Wait {
    /// It ends at the latest with this many more exits of runs at this level.
    var exitsLeft: Int
    /// The date of the task clock from which on a `beforeWaiting` of such a run ends it: when the call back came, or
    /// 0.1 s after the first sleep of the waiting in this run; `.max` before that, and again after each exit. Ahead of
    /// that `beforeWaiting`, the loop serves its sources.
    var deadline = Int64.max

    var isOver: Bool { exitsLeft == 0 }
  }

  /// The ports of a loop: that of its wake-ups, that of its timers, and that of the main queue.
  private static let ports = 3

  /// The outermost level first.
  private var waits: [Wait] = []

  /// Whether the runs at a level wait. Level 1 is that of outermost runs.
  func isOn(at level: Int) -> Bool { waits.indices.contains(level - 1) && !waits[level - 1].isOver }

  /// A batch was cut short. All runs up to a level wait, also again where they have waited.
  ///
  /// - Parameter sources: how many sources have commands.
  mutating func batchWasCut(at level: Int, _ sources: Int) {
    let new = Wait(exitsLeft: Self.ports + sources)
    waits = waits.map { $0.isOver ? new : $0 }
    while waits.count < level { waits.append(new) }
  }

  /// A run begins at a level. A nested one waits if the run around it does.
  mutating func runBegins(at level: Int, _ sources: Int) {
    let mayWait = level == 1 || isOn(at: level - 1)
    while waits.count < level { waits.append(Wait(exitsLeft: Self.ports + sources)) }
    if !mayWait { waits[level - 1].exitsLeft = 0 }
  }

  /// Notes an activity of a run.
  ///
  /// - Returns: whether the waiting ends at its level.
  mutating func note(_ activity: RunLoop.Activity, of run: Run, at level: Int, _ now: Int64) -> Bool {
    guard isOn(at: level) else { return false }
    switch activity {
    case .entry where run.pass == .sliced:  // which serves everything else before idle tasks
      waits[level - 1].exitsLeft = 0
    case .beforeWaiting where waits[level - 1].deadline <= now: waits[level - 1].exitsLeft = 0
    case .exit:
      // A further run looks at the main queue only after its first `beforeWaiting`.
      waits[level - 1].exitsLeft -= 1
      waits[level - 1].deadline = .max
    default: break
    }
    return waits[level - 1].isOver
  }

  /// Lets a `beforeWaiting` from this date on end the waiting at a level, if none earlier does.
  ///
  /// - Returns: the earliest such date.
  mutating func limit(at level: Int, to date: Int64) -> Int64 {
    waits[level - 1].deadline = min(waits[level - 1].deadline, date)
    return waits[level - 1].deadline
  }
}

extension Scheduler {
  /// The list of idle tasks, if they need not wait.
  var dueIdleTasks: ListSet { mustYield ? [] : .idle }

  var areIdleTasksSliced: Bool { drivenPass != .unsliced }

  /// The innermost run has to let idle tasks wait.
  var mustYield: Bool { yielding?.isOn(at: runs.count) == true && areIdleTasksSliced }

  /// Lets idle tasks wait. In an outermost run, the timers also come before the rest of a batch that was cut short.
  func startYielding() {
    guard !runs.isEmpty, areIdleTasksSliced else { return }
    if yielding == nil { yielding = Yielding() }
    yielding?.batchWasCut(at: runs.count, readySources)
  }

  /// How many sources have commands.
  var readySources: Int { sources.count(where: \.isReady) }

  /// Notes an activity of the innermost run while idle tasks wait.
  func noteForYielding(_ activity: RunLoop.Activity) {
    guard yielding?.note(activity, of: currentRun, at: runs.count, clock.now) == true else { return }
    if runs.count == 1 { endYielding() } else { disarmCallBack() }  // at all levels, or at that of this run
  }

  /// Lets the loop call back among the timers that are due, before a sleep.
  ///
  /// - Returns: the latest date until which to wait. The call back may fail to come: a timer that is due in an outer
  ///   run and cannot fire in this one may hold it up.
  func armCallBack(in mode: ModeID) -> Int64 {
    loop?.armCallBack(in: self[mode].name) { [unowned self] in _ = limitWaiting(to: clock.now) }
    return limitWaiting(to: clock.now.addingSaturated(Self.backOff))
  }

  private func limitWaiting(to date: Int64) -> Int64 {
    runs.isEmpty ? date : yielding?.limit(at: runs.count, to: date) ?? date
  }

  /// Takes away the timer that calls back. It may just have woken a run of its mode. Inside a nested run of that mode
  /// it then cannot fire, holds up all other timers and keeps the mode alive. Each run arms it anew before it sleeps:
  ///
  ///     outer run     slice ─ sleep ─ the timer is due ─ afterWaiting ┐                      ┌ … ─ sleep: armed anew
  ///     nested run                                                    └ begins: taken away ──┘
  func disarmCallBack() {
    // The timer may have been all that the mode had.
    if loop?.disarmCallBack() == true { forEachRun { $0.requestRecheck() } }
  }

  func endYielding() {
    yielding = nil
    disarmCallBack()
  }
}
