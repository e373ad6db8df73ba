/// The runs of a loop that are under way, and when the loop must be woken from its next sleep.
///
/// A loop's wake-up is ignored outside runs and may be used up by any nested run. So nothing here remembers wake-ups: the last check
/// before each sleep decides anew.
struct RunStack {
  /// How to wake the loop from the sleep that it is about to begin.
  enum Waking: Equatable {
    /// Not at all.
    case none
    /// By a wake-up of the loop.
    case wakeUp
    /// By a timer that is due now, which leaves other timers their turns.
    case due
    /// By a timer after a short time.
    case later
    /// By a timer at the date of the earliest alarm.
    case atAlarm
  }

  /// What waits in the mode of the innermost run.
  struct Work {
    /// Whether the keep-alive of the mode is attached.
    var isAttached = false
    /// Whether a task is in line that can run in the next turn.
    var canRun = false
    /// Whether an idle task is in line.
    var hasIdleTask = false
    /// Whether all pending tasks wait for their time, and there is one.
    var onlyWaits = false
  }

  private struct Run {
    let mode: ModeID
    /// Whether it began before its mode was observed.
    var isUnseen = false
    /// Whether a task has run in this turn, and whether an idle one has.
    var hasRunTask = false
    var hasRunIdleTask = false
    /// Whether the budget has ended a batch of this turn early.
    var isCutShort = false
    /// How many turns in a row were begun in which no task could run.
    var fruitlessTurns = 0
  }

  /// For how many of its own runs a mode stays due that was first observed inside a run. An unobserved run of it may be under way for
  /// longer, which nothing tells; but each of these runs costs a turn.
  static let runsAfterFirstSeen = 2

  /// After how many fruitless turns the loop is let sleep for a short time.
  static let patience = 4

  /// The modes whose keep-alives are known to be attached. Other threads attach, but only the loop's own thread detaches.
  private var attached: [Bool] = []
  private var attachedCount = 0
  /// The innermost run is the last.
  private var runs: [Run] = []
  /// The modes that were first observed inside a run, and for how many more runs of theirs each exit makes them due. A run of such a
  /// mode may have begun unobserved; runs of the mode that are nested in it may use up its wake-up.
  private var modesFirstSeenInside: [(mode: ModeID, runsLeft: Int)] = []
  /// Whether the last check may be over for the sleep that comes next.
  private(set) var isAboutToSleep = false

  /// Makes room for one more mode.
  mutating func addMode() { attached.append(false) }

  var isNothingAttached: Bool { attachedCount == 0 }
  /// Whether it matters at an exit if the mode is one of the common modes.
  var mustKnowCommonModes: Bool { attachedCount > 0 || !modesFirstSeenInside.isEmpty || runs.last?.isUnseen == true }

  @inline(__always)
  func isAttached(_ mode: ModeID) -> Bool { attached[Int(mode.index)] }

  mutating func setAttached(_ mode: ModeID, _ isAttached: Bool) {
    guard attached[Int(mode.index)] != isAttached else { return }
    attached[Int(mode.index)] = isAttached
    attachedCount += isAttached ? 1 : -1
  }

  /// The modes that were first observed inside a run, and may still have an unobserved run.
  var firstSeenInside: [ModeID] { modesFirstSeenInside.map(\.mode) }

  var depth: Int { runs.count }
  var innermost: ModeID? { runs.last?.mode }
  /// Whether no task has run in this turn of the innermost run.
  var isIdle: Bool { !runs[depth - 1].hasRunTask }

  /// Whether the innermost run is let sleep for a short time before fruitless turns.
  var isTired: Bool { runs[depth - 1].fruitlessTurns > Self.patience }

  /// A run is entered.
  mutating func enter(_ mode: ModeID) {
    isAboutToSleep = false
    runs.append(Run(mode: mode))
  }

  /// An activity of a run in a mode is under way. If that is not the innermost run, its mode was not observed when it began.
  mutating func noteActivity(in mode: ModeID) {
    if innermost != mode { runs.append(Run(mode: mode, isUnseen: true)) }
  }

  /// The loop has woken.
  mutating func noteWaking() { isAboutToSleep = false }

  /// The innermost run begins a turn.
  ///
  /// - Parameter isEarly: whether something has woken it before the time that `later` stands for was over.
  mutating func beginTurn(wokenEarly isEarly: Bool) {
    let last = depth - 1
    (runs[last].hasRunTask, runs[last].hasRunIdleTask, runs[last].isCutShort) = (false, false, false)
    if isEarly { runs[last].fruitlessTurns = 0 }
  }

  /// A task runs in the run at an index, which was the innermost when its batch began.
  @inline(__always)
  mutating func noteTask(in run: Int, isIdle: Bool) {
    runs[run].hasRunTask = true
    if isIdle { runs[run].hasRunIdleTask = true }
  }

  /// The budget has ended a batch early.
  mutating func noteCut(in run: Int) { runs[run].isCutShort = true }

  /// Other threads have sent something.
  mutating func noteMessages() {
    for index in runs.indices { runs[index].fruitlessTurns = 0 }
  }

  /// The innermost run is about to sleep, and all observers have been called.
  mutating func check(_ work: Work) -> Waking {
    isAboutToSleep = true
    let last = depth - 1
    guard work.isAttached else {
      runs[last].fruitlessTurns = 0
      return .none
    }
    // In a nested run CoreFoundation may take the timer for one that has fired already, so there it is the wake-up.
    if runs[last].isCutShort, depth == 1, modesFirstSeenInside.isEmpty || runs[0].isUnseen { return .due }
    if work.onlyWaits { return .atAlarm }
    let canRun = work.canRun || work.hasIdleTask && (runs[last].hasRunIdleTask || !runs[last].hasRunTask)
    runs[last].fruitlessTurns = canRun ? 0 : runs[last].fruitlessTurns + 1
    return runs[last].fruitlessTurns > Self.patience ? .later : .wakeUp
  }

  /// The innermost run is left, and all observers have been called.
  ///
  /// - Parameter isCommon: whether its mode is one of the common modes.
  /// - Returns: the modes whose runs may be past their last check: their keep-alives must be due.
  mutating func leave(isCommon: Bool) -> [ModeID] {
    let run = runs.removeLast()
    isAboutToSleep = true
    // There may be another unobserved run around it.
    var modes = run.isUnseen ? (isCommon ? [run.mode, .common] : [run.mode]) : []
    if !modesFirstSeenInside.isEmpty {
      modes += modesFirstSeenInside.map(\.mode).filter { !modes.contains($0) }
      modesFirstSeenInside = modesFirstSeenInside.compactMap { mode, runsLeft in
        guard mode == run.mode || mode == .common && isCommon else { return (mode, runsLeft) }
        return runsLeft > 1 ? (mode, runsLeft - 1) : nil
      }
    }
    if let outer = innermost, !modes.contains(outer) { modes.append(outer) }
    return modes
  }

  /// The keep-alive of a mode is attached by the loop's own thread, or was attached before and a task comes in.
  ///
  /// - Parameters:
  ///   - current: the mode in which the loop runs, `nil` outside a run.
  ///   - isServed: whether tasks of `mode` run in that mode.
  ///   - wasAttached: whether it was attached before.
  ///   - isNew: whether the mode was not observed before.
  /// - Returns: whether the keep-alive must be due, and the loop be woken.
  mutating func attach(
    _ mode: ModeID, current: ModeID?, isServed: Bool, wasAttached: Bool, isNew: Bool
  ) -> Bool {
    guard let current else {
      (isAboutToSleep, modesFirstSeenInside) = (false, [])
      return false
    }
    let isUnseen = innermost != current
    // The mode of that run may have become a common one since it began.
    if isUnseen, isServed { noteFirstSeen(mode) }
    guard isAboutToSleep || !wasAttached && (isNew || isUnseen || !isServed) else { return false }
    isAboutToSleep = false
    return true
  }

  /// A mode that was not observed before is observed from now on, inside a run.
  mutating func noteFirstSeen(_ mode: ModeID) {
    modesFirstSeenInside.removeAll { $0.mode == mode }
    modesFirstSeenInside.append((mode, Self.runsAfterFirstSeen))
  }

  /// Somebody has made a mode a common one, of which a run may be under way.
  mutating func noteNewCommonMode() {
    isAboutToSleep = true
    noteFirstSeen(.common)
  }
}
