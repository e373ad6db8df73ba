import Foundation

// The waiting of idle tasks.
//
// After a batch that was cut short, no idle task begins before everything else that was ready has had a turn, in
// whatever way the loop is driven. A timer of the loop that is due at once *calls back*. All timers that are due fire with
// it.
//
// A loop serves its sources at the beginning of an iteration, and one port at its end. The main queue comes behind all
// others there, but the loop also looks for it at the beginning of each iteration of a run but the first. So once the
// callback has come, sources and the main queue have a turn before the run's next `beforeWaiting`. Runs that have none
// need two more: the timers may take the turn of the first, because one that has fired and gone can leave their port
// ready.
//
//     one long run    ● ─ sleep: timers, callback ─ sources, a block ─ ●
//     runs that poll  ● ┤├ timers, callback ─ ○ ┤├ sources, timers ─ ○ ┤├ sources, a block ─ ●
//
//     ● a slice   ○ no idle task begins   ┤├ one run ends, and another begins
//
// |   | Event                      | What is done                                                                    |
// |---|----------------------------|---------------------------------------------------------------------------------|
// | 1 | a batch is cut short       | the wait begins, unless it is on                                                |
// | 2 | `entry`                    | the callback is armed, unless it has come; the run counts, if it has            |
// | 3 | `entry` of a driven pass   | the wait ends: such a pass serves everything else first                         |
// | 4 | the last look              | the callback is armed for the sleep, unless it has come in this run             |
// | 5 | the callback comes         | it is noted                                                                     |
// | 6 | `beforeWaiting`            | the wait ends if the callback has come in this run                              |
// | 7 | `exit`                     | the wait ends in the third run since the callback came, with that in which      |
// | 8 | 0.1 s have passed          | the wait ends at the next moment                                                |
//
// 1: `IdleWaitTests.betweenTwoSlicesTimersAndSourcesHaveATurn`, and `idleTasksComeThoughEachPassHasATaskThatTakesLong` if
//    the wait is on,
// 2: `IdleWaitTests.inRunsOfSeveralModesIdleTasksWaitToo`,
// 3: `IdleWaitTests.whoeverCallsForIdleTasksNeedNotWait`,
// 4: `IdleWaitTests.aBacklogAloneTakesOnePassForEachSlice`,
// 5, 6: `IdleWaitTests.aSliceWaitsForASleepOfItsOwnRun`,
// 7: `IdleWaitTests.whereEachRunEndsAfterOneSourceAllHaveATurn`,
// 8: `IdleWaitTests.theWaitEndsThoughATimerCannotFire`.
// `IdleWaitRulesTests` has each "unless" of 2 and 4, and the number in 7.

/// Whether idle tasks wait, and for what.
struct IdleWait {
  /// The uptime at which it ends, whatever happens; `.max` if idle tasks need not wait.
  private(set) var limit = Int64.max
  /// The callback has come in the innermost run.
  private var isCalledBack = false
  /// The number of runs since the callback came first, with that in which it came; zero before.
  private var runsSinceCallBack = 0
  /// So many runs without a `beforeWaiting` let everything have its turn: see above.
  private static let runsThatPoll = 3

  var isOn: Bool { limit < .max }

  /// Begins, unless it is on already: a batch of other tasks may have been cut short meanwhile.
  mutating func begin(at uptime: Int64) {
    if !isOn { self = IdleWait(limit: uptime + Run.backOff) }
  }

  mutating func noteCallBack() { (isCalledBack, runsSinceCallBack) = (true, max(runsSinceCallBack, 1)) }

  /// Ends if it is time at a moment of the innermost run.
  ///
  /// - Parameter pass: what that run is, if the package drives it. Such a pass serves everything else first.
  mutating func note(_ moment: Moment, in pass: DrivenPass?, at uptime: Int64) {
    let isOver =
      switch moment {
      case .entry: pass != nil
      case .beforeWaiting: isCalledBack
      case .exit: runsSinceCallBack >= Self.runsThatPoll
      case .afterWaiting: false
      }
    if isOver || pass == .unsliced || uptime >= limit { limit = .max }
    if moment == .entry {
      (isCalledBack, runsSinceCallBack) = (false, runsSinceCallBack > 0 ? runsSinceCallBack + 1 : 0)
    }
  }

  /// Whether it needs the callback at `entry`, or before a sleep.
  func needsCallBack(at moment: Moment) -> Bool {
    isOn && (moment == .entry ? runsSinceCallBack == 0 : !isCalledBack)
  }
}
