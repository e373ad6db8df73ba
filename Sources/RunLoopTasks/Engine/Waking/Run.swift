/// A run under way that the package knows, and what its current pass has seen. Only the loop's own thread uses it.
struct Run {
  /// How many passes in a row may cause one more at once only to look again.
  ///
  /// Tasks that have run at the end of a pass cause one more. So an observer ahead of the tasks that schedules one for
  /// the end of every pass would keep the loop turning without a pause. After this many passes the loop therefore
  /// sleeps, for 0.1 s at most. The price: an idle task, or the return of a run, may be that late. This is also so
  /// where any other code that the loop calls, such as a block of the main queue, or a delay shorter than a pass has
  /// brought a task in each of more than four passes in a row.
  private static let maxRechecks = 4

  let mode: ModeID
  /// The pass that the run consists of, if it is a driven one.
  let pass: DrivenPass?
  /// Where the top of the thread's stack was when the run began, `.max` if that is not known. What a run calls lies
  /// below, so once a run begins there or above, this one is gone. (A stack grows downward on all platforms.)
  let frame: UInt
  /// The batch that was under way when the run began.
  let batch: Batch?
  /// The sources that have delivered a batch in it, if it is a driven pass.
  var served: Set<ObjectIdentifier> = []

  /// Tasks have run in this pass.
  private var hasRunTasks = false
  /// At the `beforeWaiting` of this pass, no other tasks were in the way of idle ones, which then run unless they must
  /// yield.
  private var idleTasksHadTurn = false
  /// The loop must make one more pass soon, even if no task is in line.
  private var mustRecheck: Bool
  /// How many passes in a row have each caused one more by `mustRecheck`, or for idle tasks that had no turn.
  private(set) var rechecks = 0

  init(mode: ModeID, pass: DrivenPass?, mustRecheck: Bool = false, frame: UInt = .max, batch: Batch? = nil) {
    (self.mode, self.pass, self.mustRecheck, self.frame, self.batch) = (mode, pass, mustRecheck, frame, batch)
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

  /// What follows a pass.
  enum Step {
    /// One more pass, at once.
    case pass
    /// One more pass soon, but not at once, because too many in a row have caused one more.
    case backOff
    /// After a batch that was cut short: see `Scheduler+Yielding`.
    case waitForCallBack
    /// Sleep until the earliest alarm, or until something wakes the loop.
    case sleep
  }

  /// Ends the pass at the last look before a sleep. With one more pass, each list has its turn or a reason for yet
  /// another.
  ///
  /// - Parameters:
  ///   - lists: the lists with tasks in line that belong to the mode of this run.
  ///   - hasGarbage: whether a further pass has something to release.
  ///   - mustYield: whether idle tasks, and the rest of a batch that was cut short, wait.
  mutating func endPass(_ lists: ListSet, hasGarbage: Bool, mustYield: Bool) -> Step {
    // Idle tasks that had no turn wait for a pass without others, and an observer ahead of the tasks may schedule one
    // for each pass.
    let isRecheck = lists.isEmpty ? mustRecheck : lists == .idle && !idleTasksHadTurn && !mustYield
    rechecks = isRecheck && !hasGarbage ? rechecks + 1 : 0
    (hasRunTasks, idleTasksHadTurn, mustRecheck) = (false, false, false)
    if hasGarbage { return .pass }
    if isRecheck { return rechecks <= Self.maxRechecks ? .pass : .backOff }
    if lists.isEmpty { return .sleep }
    return mustYield ? .waitForCallBack : .pass
  }
}

/// A pass that the package drives: a run that is stopped when it is about to sleep.
enum DrivenPass {
  /// All idle tasks that are due run.
  case unsliced
  /// Idle tasks run in slices.
  case sliced
}
