/// A run under way that the package knows, and what its current pass has seen. Only the loop's own thread uses it.
struct Run {
  /// How many passes in a row may cause one more at once only to look again.
  ///
  /// Tasks that have run at the end of a pass cause one more. So an observer ahead of the tasks that schedules one for
  /// the end of every pass would keep the loop turning without a pause. After this many passes the loop therefore
  /// sleeps, for 0.1 s at most. The price: an idle task, or the return of a run, may be that late. This is also so
  /// where any other code that the loop calls, such as a block of the main queue, or a delay shorter than a pass has
  /// brought a task in each of more than four passes in a row.
  ///
  /// `WakingCostTests.anObserverThatSchedulesInEachPassMakesTheLoopBackOff` needs a limit that is low,
  /// `WakingSearchTests.theLoopNeverSleepsOnWorkInRandomRuns` one of more than one, and
  /// `ReturnInsteadOfSleepTests.aRunReturnsIfItsLastSourceGoesAfterManyPassesWithTasks` that the sleep ends.
  private static let maxRechecks = 4
  /// How long the loop sleeps where nothing says when to look again, in nanoseconds.
  static let backOff: Int64 = 100_000_000

  let mode: ModeID
  /// The pass that the run consists of, if it is a driven one.
  let pass: DrivenPass?
  /// The sources that have delivered a batch in it, if it is a driven pass.
  private var served: [AnyObject] = []

  /// Tasks have run in this pass.
  private var hasRunTasks = false
  /// At the `beforeWaiting` of this pass, no other tasks were in the way of idle ones, which then run unless they wait.
  private var idleTasksHadTurn = false
  /// The loop must make one more pass soon, even if no task is in line.
  private var mustRecheck: Bool
  /// How many passes in a row have each caused one more by `mustRecheck`, or for idle tasks that had no turn.
  private(set) var rechecks = 0

  init(mode: ModeID, pass: DrivenPass?, mustRecheck: Bool = false) {
    (self.mode, self.pass, self.mustRecheck) = (mode, pass, mustRecheck)
  }

  /// Tasks have run. SwiftUI's observer of `beforeWaiting` comes before the tasks, and would apply what they have
  /// changed only after the next event (see the article *Start*). So the loop makes one more pass, unless it has just
  /// woken.
  mutating func noteTasks() { (hasRunTasks, mustRecheck) = (true, true) }

  /// Something has left a mode. CoreFoundation checks only at the end of an iteration, behind the sleep, whether the
  /// mode is empty. So the loop makes one more pass.
  mutating func requestRecheck() { mustRecheck = true }

  /// A message or a command has come: other code has caused what follows, and not the pass itself.
  mutating func resetRechecks() { rechecks = 0 }

  /// The loop is awake. CoreFoundation's check and a `beforeWaiting` follow without a further sleep.
  mutating func noteWaking() { mustRecheck = false }

  /// Gives idle tasks their turn at `beforeWaiting` if no task has run in this pass, and no others are in line.
  ///
  /// - Returns: whether it is their turn.
  mutating func turnToIdleTasks(_ lists: ListSet) -> Bool {
    idleTasksHadTurn = !hasRunTasks && lists.isSubset(of: .idle)
    return idleTasksHadTurn
  }

  /// A source is about to deliver a batch.
  ///
  /// - Returns: whether it is the first one of this source in the run.
  mutating func noteDelivery(of source: AnyObject) -> Bool {
    if served.contains(where: { $0 === source }) { return false }
    served.append(source)
    return true
  }

  /// What follows a pass.
  enum Step {
    /// One more pass, at once.
    case pass
    /// One more pass soon, but not at once, because too many in a row have caused one more.
    case backOff
    /// Sleep until the earliest alarm, or until something wakes the loop.
    case sleep
  }

  /// Ends the pass at the last look before a sleep. With one more pass, each list has its turn or a reason for yet
  /// another.
  ///
  /// | In line                           | What follows                                                     |
  /// |-----------------------------------|------------------------------------------------------------------|
  /// | anything, and there is garbage    | one more pass, which releases it                                 |
  /// | nothing                           | one more pass to look again, if it was asked for and no callback |
  /// |                                   | ends the sleep; otherwise the sleep                              |
  /// | idle tasks, which had no turn     | one more pass to look again: they wait for a pass without others |
  /// | idle tasks, which had their turn  | one more pass                                                    |
  /// | others                            | one more pass                                                    |
  ///
  /// - Parameters:
  ///   - lists: the lists with tasks in line that belong to the mode of this run, and need not wait.
  ///   - hasGarbage: whether a further pass has something to release.
  ///   - isCalledBack: whether idle tasks wait for a callback, which ends the sleep.
  mutating func endPass(_ lists: ListSet, hasGarbage: Bool, isCalledBack: Bool) -> Step {
    defer { (hasRunTasks, idleTasksHadTurn, mustRecheck) = (false, false, false) }
    let looksAgain =
      switch lists {
      case []: mustRecheck && !isCalledBack
      case .idle: !idleTasksHadTurn
      default: false
      }
    guard looksAgain, !hasGarbage else {
      rechecks = 0
      return lists.isEmpty && !hasGarbage ? .sleep : .pass
    }
    rechecks += 1
    return rechecks <= Self.maxRechecks ? .pass : .backOff
  }
}
