@testable import RunLoopTasks

/// A small CFRunLoop with two modes, and with the scheduler's waking rules over the real `RunStack` and `PendingTasks`.
///
/// It simulates what makes waking hard: wake-ups that are ignored, wake-ups that a nested run uses up, modes that are
/// empty, runs that only poll, timers that have woken a run and have not fired yet, and modes that become common ones.
/// At each point where CoreFoundation calls out, a user may do something: see `RunLoopSimulation+User`. Delays, limits
/// and budgets are not simulated.
final class RunLoopSimulation {
  /// Why a run of the simulation ends before its time.
  enum End: Error {
    /// The loop sleeps though it must not.
    case hole(String)
    /// Too much happens.
    case tooLong
  }

  static let modes = [ModeID(index: 2), ModeID(index: 3)]
  /// Beyond these a run is not followed.
  static let (maxCallouts, maxTurns, maxDepth) = (400, 12, 3)
  /// After how many turns without work a loop that is not asleep is said to spin.
  private static let maxIdleTurns = 6

  let configuration: Configuration
  var choices: Choices
  var callouts = 0
  /// How many turns have begun since something has happened.
  var idleTurns = 0
  /// What has happened, `nil` if nobody wants to know.
  var trace: [String]?

  // The loop. Modes are indexed by their numbers.
  private var isWokenUp = false
  private var ignoresWakeUps = true
  private(set) var running: [ModeID] = []
  private var isStopped: [Bool] = []
  /// For each run, whether the package's observers were not called before its latest sleep.
  var isUnobserved: [Bool] = []
  /// For each mode, how many runs the package's observers have seen end.
  var observedExits = Array(repeating: 0, count: 4)
  var isCommonMode: [Bool]
  var timers = Array(repeating: SimulatedTimers(), count: 4)
  var latestDate = 0

  var engine: SimulatedEngine

  init(_ configuration: Configuration, _ choices: Choices, isTraced: Bool = false, without rule: WakingRule? = nil) {
    self.configuration = configuration
    self.choices = choices
    trace = isTraced ? [] : nil
    isCommonMode = [true, false, configuration.usesCommonModes, false]
    engine = SimulatedEngine(without: rule)
    for (mode, isObserved) in zip(Self.modes, configuration.isObserved) where isObserved { engine.observe(mode) }
  }

  func note(_ text: @autoclosure () -> String) {
    trace?.append(String(repeating: "  ", count: running.count) + text())
  }

  func hasUserTimer(_ mode: ModeID) -> Bool { configuration.hasTimer[Int(mode.index) - 2] }
  func isCommon(_ mode: ModeID) -> Bool { isCommonMode[Int(mode.index)] }

  /// `CFRunLoopWakeUp`.
  func wakeUp() { if !ignoresWakeUps { isWokenUp = true } }

  // MARK: Running

  func isEmpty(_ mode: ModeID) -> Bool {
    !hasUserTimer(mode) && !engine.isAttached(mode) && !(isCommon(mode) && engine.isAttached(.common))
  }

  /// Lets the current run end after its turn.
  func stop() { if !isStopped.isEmpty { isStopped[isStopped.count - 1] = true } }

  func run(_ mode: ModeID, isPoll: Bool = false) throws {
    guard !isEmpty(mode) else { return note("\(Self.name(mode)) is empty") }
    let outerIgnoresWakeUps = ignoresWakeUps
    ignoresWakeUps = false
    running.append(mode)
    isStopped.append(false)
    isUnobserved.append(false)
    note("\(isPoll ? "poll" : "run") of \(Self.name(mode)) begins")
    try perform(.entry, mode)
    var turns = 0
    repeat {
      turns += 1
      idleTurns += 1
      if idleTurns > Self.maxIdleTurns { throw End.hole("turns round and round in \(Self.name(mode))") }
    } while try turn(mode, isPoll: isPoll, turns) && turns < Self.maxTurns
    try perform(.exit, mode)
    running.removeLast()
    isStopped.removeLast()
    isUnobserved.removeLast()
    note("run of \(Self.name(mode)) has ended")
    ignoresWakeUps = outerIgnoresWakeUps
  }

  /// - Returns: whether the run goes on.
  private func turn(_ mode: ModeID, isPoll: Bool, _ number: Int) throws -> Bool {
    ignoresWakeUps = false
    let hasSource = !isPoll && number < 3 && choices.next(2) == 1
    if hasSource { try callOut(.source) }
    let mustNotSleep = isPoll || hasSource
    if !mustNotSleep { try perform(.beforeWaiting, mode) }
    let waking = try sleep(mode, mustNotSleep)
    ignoresWakeUps = true
    if !mustNotSleep {
      note("wakes: \(waking)")
      try perform(.afterWaiting, mode)
    }
    if waking == .timer || waking == .userTimer { try fireTimers(in: mode) }
    // Where nothing but the timer of a user is left, two turns are enough.
    return !(isPoll || isEmpty(mode) || isStopped[isStopped.count - 1] || waking == .userTimer && number > 1)
  }

  private enum Waking { case wakeUp, timer, userTimer, poll }

  private func sleep(_ mode: ModeID, _ mustNotSleep: Bool) throws -> Waking {
    if takeWakeUp() { return .wakeUp }
    if timers[Int(mode.index)].takeReady() { return .timer }
    if mustNotSleep { return .poll }
    if choices.next(2) == 1 {
      note("while it sleeps, another thread schedules a task")
      post(.init(timing: .nextLoopBegan, mode: mode))
      if takeWakeUp() { return .wakeUp }
      if timers[Int(mode.index)].takeReady() { return .timer }
    }
    try checkSleep(mode)
    idleTurns = 0
    if timers[Int(mode.index)].earliest == SimulatedTimers.later {
      note("sleeps for a while")
      timers[Int(mode.index)].letPass()
      return .timer
    }
    note("sleeps until a timer of a user is due")
    latestDate += 1
    timers[Int(mode.index)].set(.user, latestDate)
    _ = timers[Int(mode.index)].takeReady()
    return .userTimer
  }

  private func takeWakeUp() -> Bool {
    defer { isWokenUp = false }
    return isWokenUp
  }

  /// Whether there are tasks other than idle ones, which the loop may let wait a little if it is kept busy by others.
  private func isWorkUnderWay(in mode: ModeID) -> Bool {
    !engine.mailbox.isEmpty || hasTasks(in: [.nextLoopBegan, .currentLoopEnded], mode)
  }

  private func checkSleep(_ mode: ModeID) throws {
    // See `WakingSearchTests`: a keep-alive is due, but the timer of a user masks it.
    if timers[Int(mode.index)].isMaskedByUser {
      return note("sleeps on, as a timer of a user masks the one that is due")
    }
    if isUnobserved[isUnobserved.count - 1], observedExits[Int(mode.index)] >= RunStack.runsAfterFirstObserved {
      return note("sleeps on, as too many runs of the mode were nested in it")
    }
    let isLater = timers[Int(mode.index)].earliest == SimulatedTimers.later
    if isLater ? isWorkUnderWay(in: mode) : engine.hasWork(in: mode, isCommon: isCommon(mode)) {
      throw End.hole("sleeps on work in \(Self.name(mode))")
    }
    if isEmpty(mode) { throw End.hole("sleeps in \(Self.name(mode)), which is empty") }
    if !hasUserTimer(mode), !isLater {
      throw End.hole("sleeps though nothing is left in \(Self.name(mode))")
    }
  }

  private func fireTimers(in mode: ModeID) throws {
    for (timer, date) in timers[Int(mode.index)].due where timers[Int(mode.index)].date(of: timer) == date {
      timers[Int(mode.index)].fire(timer)
      switch timer {
      case .own: removeTimer(of: mode)
      case .common: removeTimer(of: .common)
      case .user: try callOut(.timer)
      }
    }
  }

}
