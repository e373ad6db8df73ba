/// The runs of a loop that are in progress, and the rules for waking the loop from its next sleep.
///
/// A loop ignores a wake-up outside runs, and any nested run may use up a wake-up. The rules therefore never rely on an
/// earlier wake-up: the last check before each sleep decides again.
struct RunStack {
  /// How to wake the loop from the sleep that it is about to begin.
  enum Waking: Equatable {
    /// Not at all.
    case none
    case wakeUp
    /// By a timer that is due now. Unlike a wake-up, it does not delay other timers.
    case due
    case later
    /// By a timer at the date of the earliest alarm.
    case atAlarm
  }

  /// The pending tasks in the mode of the innermost run.
  struct Work {
    /// Whether the keep-alive of the mode is attached.
    var isAttached = false
    /// Whether a task is in line that can run in the next turn.
    var canRun = false
    /// Whether an idle task is in line.
    var hasIdleTask = false
    /// Whether tasks are pending and all of them wait for a delay or an interval.
    var onlyWaits = false
  }

  private struct Run {
    let mode: ModeID
    /// Whether it began before its mode was observed.
    var beganUnobserved = false
    /// Whether a task has run in this turn, and whether an idle one has.
    var hasRunTask = false
    var hasRunIdleTask = false
    /// Whether the budget has ended a batch of this turn early.
    var isCutShort = false
    /// The number of successive turns that began although no task could run.
    var fruitlessTurns = 0
  }

  /// The number of runs of a mode, first observed inside a run, during which each exit makes the mode due. An
  /// unobserved run of the mode may last longer, but each of these exits costs a turn.
  static let runsAfterFirstObserved = 2

  /// The number of fruitless turns after which the loop may sleep for a short time.
  static let patience = 4

  /// The modes whose keep-alives are known to be attached. Other threads attach, but only the loop's own thread
  /// detaches.
  private var attached: [Bool] = []
  private var attachedCount = 0
  /// The innermost run is the last.
  private var runs: [Run] = []
  /// The modes that were first observed inside a run. A run of such a mode may have begun unobserved, and runs nested in
  /// it may use up its wake-up. Each exit therefore makes the mode due, until `runsLeft` more runs of it have ended.
  private var modesFirstObservedInside: [(mode: ModeID, runsLeft: Int)] = []
  /// Whether the loop's last check before its next sleep may be over.
  private(set) var isAboutToSleep = false

  /// Makes room for one more mode.
  mutating func addMode() { attached.append(false) }

  var isNothingAttached: Bool { attachedCount == 0 }
  /// Whether `leave` needs to know whether the mode is one of the common modes.
  var mustKnowCommonModes: Bool {
    attachedCount > 0 || !modesFirstObservedInside.isEmpty || runs.last?.beganUnobserved == true
  }

  @inline(__always)
  func isAttached(_ mode: ModeID) -> Bool { attached[Int(mode.index)] }

  mutating func setAttached(_ mode: ModeID, _ isAttached: Bool) {
    guard attached[Int(mode.index)] != isAttached else { return }
    attached[Int(mode.index)] = isAttached
    attachedCount += isAttached ? 1 : -1
  }

  var firstObservedInside: [ModeID] { modesFirstObservedInside.map(\.mode) }

  var depth: Int { runs.count }
  var innermost: ModeID? { runs.last?.mode }
  var isIdle: Bool { !runs[depth - 1].hasRunTask }
  /// Whether the innermost run may sleep for a short time, after too many fruitless turns.
  var isTired: Bool { runs[depth - 1].fruitlessTurns > Self.patience }

  mutating func enter(_ mode: ModeID) {
    isAboutToSleep = false
    runs.append(Run(mode: mode))
  }

  /// Notes an activity of a run in a mode. If the innermost known run has another mode, this run began before its mode
  /// was observed.
  @inline(__always)
  mutating func noteActivity(in mode: ModeID) {
    if innermost != mode { runs.append(Run(mode: mode, beganUnobserved: true)) }
  }

  mutating func noteWaking() { isAboutToSleep = false }

  /// The innermost run begins a turn.
  ///
  /// - Parameter isEarly: whether something woke the run before the timer of `Waking.later` fired.
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

  /// Other threads have sent messages.
  mutating func noteMessages() {
    for index in runs.indices { runs[index].fruitlessTurns = 0 }
  }

  /// Decides how to wake the innermost run, which is about to sleep. The loop has called all other observers.
  mutating func check(_ work: Work) -> Waking {
    isAboutToSleep = true
    let last = depth - 1
    guard work.isAttached else {
      runs[last].fruitlessTurns = 0
      return .none
    }
    // A nested run uses the wake-up, because CoreFoundation may take the timer for one that has already fired.
    if runs[last].isCutShort, depth == 1, modesFirstObservedInside.isEmpty || runs[0].beganUnobserved { return .due }
    if work.onlyWaits, !runs[last].hasRunTask {
      runs[last].fruitlessTurns = 0
      return .atAlarm
    }
    let canRun = work.canRun || work.hasIdleTask && (runs[last].hasRunIdleTask || !runs[last].hasRunTask)
    runs[last].fruitlessTurns = canRun ? 0 : runs[last].fruitlessTurns + 1
    return runs[last].fruitlessTurns > Self.patience ? .later : .wakeUp
  }

  /// Removes the innermost run, which the loop leaves. The loop has called all other observers.
  ///
  /// - Parameter isCommon: whether its mode is one of the common modes.
  /// - Returns: the modes whose runs may be past their last check. The caller makes their keep-alives due.
  mutating func leave(isCommon: Bool) -> [ModeID] {
    let run = runs.removeLast()
    isAboutToSleep = true
    // If the run began unobserved, another unobserved run may be around it.
    var modes = run.beganUnobserved ? (isCommon ? [run.mode, .common] : [run.mode]) : []
    if !modesFirstObservedInside.isEmpty {
      modes += modesFirstObservedInside.map(\.mode).filter { !modes.contains($0) }
      modesFirstObservedInside = modesFirstObservedInside.compactMap { mode, runsLeft in
        guard mode == run.mode || mode == .common && isCommon else { return (mode, runsLeft) }
        return runsLeft > 1 ? (mode, runsLeft - 1) : nil
      }
    }
    if let outer = innermost, !modes.contains(outer) { modes.append(outer) }
    return modes
  }

  /// Decides whether a task that comes in needs a wake-up. The loop's own thread has attached the keep-alive of the
  /// task's mode, now or earlier.
  ///
  /// - Parameters:
  ///   - current: the mode in which the loop runs, `nil` outside a run.
  ///   - isServed: whether tasks of `mode` run in that mode.
  ///   - wasAttached: whether it was attached before.
  ///   - isNew: whether the mode was not observed before.
  /// - Returns: whether the caller must make the keep-alive due and wake the loop.
  mutating func noteIncomingTask(
    for mode: ModeID, current: ModeID?, isServed: Bool, wasAttached: Bool, isNew: Bool
  ) -> Bool {
    guard let current else {
      (isAboutToSleep, modesFirstObservedInside) = (false, [])
      return false
    }
    let beganUnobserved = innermost != current
    // The mode of that run may have become a common one since it began.
    if beganUnobserved, isServed { noteFirstObserved(mode) }
    guard isAboutToSleep || !wasAttached && (isNew || beganUnobserved || !isServed) else { return false }
    if isServed { isAboutToSleep = false }
    return true
  }

  /// A mode that was not observed before is observed from now on, inside a run.
  mutating func noteFirstObserved(_ mode: ModeID) {
    modesFirstObservedInside.removeAll { $0.mode == mode }
    modesFirstObservedInside.append((mode, Self.runsAfterFirstObserved))
  }

  /// User code has made a mode a common mode. A run of the mode may be in progress.
  mutating func noteNewCommonMode() {
    isAboutToSleep = true
    noteFirstObserved(.common)
  }
}
