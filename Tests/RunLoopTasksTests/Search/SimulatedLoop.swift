import Foundation

@testable import RunLoopTasks

/// A small CFRunLoop with two modes, on which the scheduler runs that is shipped.
///
/// It simulates what makes waking hard: wake-ups that are ignored, wake-ups that a nested run uses up, modes that are
/// empty, runs that only poll, timers that have woken a run and have not fired yet, and modes that become common ones.
/// At each point where CoreFoundation calls out, a user may do something: see `SimulatedUser`. Time is simulated, too.
final class SimulatedLoop: HostLoop, @unchecked Sendable {
  // Unchecked, because only one thread of a simulation runs at a time.

  static let modes = [RunLoop.Mode("A"), RunLoop.Mode("B")]

  let configuration: SimulatedConfiguration
  let threads: TwoThreads
  // Set at once after the loop, because each needs the other.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  var user: SimulatedUser!
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  private(set) var scheduler: Scheduler!
  /// In seconds. The task clock is ahead by `base` nanoseconds.
  private(set) var now = 1.0
  private(set) var base: Int64 = 0

  private var simulatedModes: [RunLoop.Mode: SimulatedMode] = [:]
  private var isWokenUp = false
  private var ignoresWakeUps = true
  private(set) var running: [RunLoop.Mode] = []
  private var isStopped: [Bool] = []
  /// Whether the package cannot know of a run, because its mode has become a common mode and it has had no observed
  /// activity since.
  private enum Unnoticed { case no, ifAnotherIsNested, yes }
  private var unnoticed: [Unnoticed] = []

  init(_ configuration: SimulatedConfiguration, _ threads: TwoThreads) {
    (self.configuration, self.threads) = (configuration, threads)
    scheduler = Scheduler(self, of: nil, lock: threads.makeLock())
    base = scheduler.clock.now
    for (name, isUsed) in zip(Self.modes, configuration.isUsed) {
      let mode = mode(name)
      mode.hasUserTimer = configuration.hasTimer.contains(name)
      mode.isCommonMode = configuration.usesCommonModes && name == Self.modes[0]
      if isUsed { scheduler.attachment.withLock { _ = $0.mode(name).map { $0.isObserved = true } } }
      mode.isObserved = isUsed
    }
    letPass(0)
  }

  func mode(_ name: RunLoop.Mode) -> SimulatedMode { makeMode(name) as! SimulatedMode }

  /// Lets time pass. Two dates are never the same.
  func letPass(_ seconds: Double) {
    now += seconds + 1e-6
    scheduler.clock.freeze(at: base + Int64(now * 1e9))
    for mode in simulatedModes.values { mode.timers.letPass(until: now) }
  }

  // MARK: What the engine calls

  func makeMode(_ name: RunLoop.Mode) -> any HostMode {
    let mode = simulatedModes[name] ?? SimulatedMode(name, self)
    simulatedModes[name] = mode
    return mode
  }

  /// A call of the engine, which any thread may interrupt before it takes effect and after it.
  func call<Result>(
    _ name: @autoclosure () -> String, isUnlocked: Bool = false, _ effect: () -> Result
  ) -> Result {
    threads.point("before it \(name())", isUnlocked: isUnlocked)
    user?.note("– it \(name())")
    let result = effect()
    threads.point("after it \(name())", isUnlocked: isUnlocked)
    return result
  }

  var isRunning: Bool {
    call("asks whether the loop runs") { !running.isEmpty && configuration.fault != .runsAreInvisible }
  }

  func currentMode(_ scheduler: Scheduler) -> ModeID? {
    call("asks for the current mode", isUnlocked: true) { running.last.map(scheduler.id) }
  }

  func wakeUp() {
    call("wakes the loop", isUnlocked: true) {
      if !ignoresWakeUps, configuration.fault != .wakeUpsGetLost { isWokenUp = true }
    }
  }

  func add(_ source: LoopSource, to mode: RunLoop.Mode) {}
  func remove(_ source: LoopSource, from mode: RunLoop.Mode) {}
  func add(_ observer: LoopObserver, to mode: RunLoop.Mode) {}
  func remove(_ observer: LoopObserver, from mode: RunLoop.Mode) {}
  func end() {}

  // MARK: What users call

  var innermostMode: SimulatedMode? { running.last.map(mode) }
  var isInnermostUnnoticed: Bool { unnoticed.last == .yes }
  var commonModes: [SimulatedMode] { Self.modes.map(mode).filter(\.isCommonMode) }

  /// - Parameter isAfterExit: whether the package has left the innermost run, which has not returned yet.
  func makeCommon(_ name: RunLoop.Mode, isAfterExit: Bool) {
    let mode = mode(name)
    guard !mode.isCommonMode else { return }
    mode.isCommonMode = true
    for (index, outer) in running.enumerated() where outer == name && (!mode.isObserved || isAfterExit) {
      unnoticed[index] = index < running.count - 1 ? .yes : .ifAnotherIsNested
    }
    if self.mode(.common).isAttached {
      wakeUp()
      scheduler.modeHasBecomeCommon()
    }
    mode.timers.set(.common, self.mode(.common).date)
  }

  /// Lets the current run end after its turn.
  func stop() { if !isStopped.isEmpty { isStopped[isStopped.count - 1] = true } }

  func isEmpty(_ mode: SimulatedMode) -> Bool {
    !mode.hasUserTimer && !mode.isAttached && !(mode.isCommonMode && self.mode(.common).isAttached)
  }

  // MARK: Runs

  enum RunKind {
    case run, poll
    /// Driven as by `runPass`: kept alive for one turn, and stopped before it sleeps.
    case pass
  }

  /// What `RunLoop.advance(by:mode:)` does.
  func advance(by duration: Duration, _ mode: RunLoop.Mode) throws {
    let end = scheduler.clock.date(after: duration)
    while let alarm = earliestAlarm, alarm <= end { try makePass(at: alarm, mode) }
    try makePass(at: end, mode)
  }

  private var earliestAlarm: Int64? {
    scheduler.catchUp()
    return scheduler.pending.alarms.earliest
  }

  private func makePass(at date: Int64, _ mode: RunLoop.Mode) throws {
    base += max(0, date - scheduler.clock.now)
    scheduler.clock.freeze(at: date)
    scheduler.catchUp()
    try run(mode, .pass)
  }

  func run(_ name: RunLoop.Mode, _ kind: RunKind = .run) throws {
    let mode = mode(name)
    if kind == .pass { scheduler.observe(name) }
    threads.point("before the run")
    guard kind == .pass || !isEmpty(mode) else { return try user.checkEmpty(mode) }
    let outerIgnoresWakeUps = ignoresWakeUps
    ignoresWakeUps = false
    running.append(name)
    isStopped.append(false)
    if unnoticed.last == .ifAnotherIsNested { unnoticed[unnoticed.count - 1] = .yes }
    unnoticed.append(.no)
    user.note("\(kind) of \(name.rawValue) begins")
    try perform(.entry, mode)
    if kind == .pass {
      try turnOfPass(mode)
    } else {
      var turns = 0
      repeat {
        turns += 1
        try user.noteTurn()
      } while try turn(mode, isPoll: kind == .poll, turns) && turns < SimulatedUser.maxTurns
    }
    try perform(.exit, mode)
    running.removeLast()
    isStopped.removeLast()
    unnoticed.removeLast()
    user.note("run of \(name.rawValue) has ended")
    ignoresWakeUps = outerIgnoresWakeUps
    if kind == .pass { scheduler.drivenRunHasReturned() }
  }

  private func turnOfPass(_ mode: SimulatedMode) throws {
    ignoresWakeUps = false
    if user.choose(2) == 1 { try user.callOut(.source) }
    letPass(0)
    if mode.timers.takeReady(now) { try fireTimers(in: mode) }
    try perform(.beforeWaiting, mode)
    (isWokenUp, ignoresWakeUps) = (false, true)  // the stop of the run consumes a wake-up
    try perform(.afterWaiting, mode)
  }

  private func perform(_ activity: RunLoop.Activity, _ mode: SimulatedMode) throws {
    // Collected once an activity.
    let isObserved = mode.isObserved || mode.isCommonMode && self.mode(.common).isObserved
    if isObserved { unnoticed[unnoticed.count - 1] = .no }
    if activity == .entry {
      try user.callOut(.entryFirst)
      if isObserved { scheduler.beforeObservers(in: currentMode(scheduler)!) }
    }
    try user.callOut(.before(activity))
    if isObserved { try user.inBatch { scheduler.handle(activity, in: currentMode(scheduler)!) } }
    try user.callOut(.after(activity))
    guard activity == .beforeWaiting || activity == .exit else { return }
    if isObserved { scheduler.afterObservers(of: activity, in: currentMode(scheduler)!) }
    try user.callOut(.last(activity))
  }

  /// - Returns: whether the run goes on.
  private func turn(_ mode: SimulatedMode, isPoll: Bool, _ number: Int) throws -> Bool {
    ignoresWakeUps = false
    let hasSource = !isPoll && number < 3 && user.choose(2) == 1
    if hasSource { try user.callOut(.source) }
    let mustNotSleep = isPoll || hasSource
    if !mustNotSleep { try perform(.beforeWaiting, mode) }
    let waking = try sleep(mode, mustNotSleep)
    ignoresWakeUps = true
    if !mustNotSleep {
      user.note("wakes: \(waking)")
      try perform(.afterWaiting, mode)
    }
    if waking == .timer || waking == .userTimer { try fireTimers(in: mode) }
    threads.point("at the end of the turn")
    if !isPoll, isEmpty(mode) {
      try user.checkEmpty(mode)
      return false
    }
    // Where nothing but the timer of a user is left, two turns are enough.
    return !(isPoll || isStopped[isStopped.count - 1] || waking == .userTimer && number > 1)
  }

  private enum Waking { case wakeUp, timer, userTimer, poll }

  private func sleep(_ mode: SimulatedMode, _ mustNotSleep: Bool) throws -> Waking {
    letPass(0)
    if let waking = takeWaking(mode) { return waking }
    if mustNotSleep { return .poll }
    if user.choose(2) == 1 {
      user.postDuringSleep(for: mode.name)
      if let waking = takeWaking(mode) { return waking }
    }
    let timer = mode.timers.isMasked ? nil : mode.timers.earliest
    let substitute = mode.timers.isMasked ? mode.substitute : nil
    let end = min(timer ?? .infinity, substitute ?? .infinity)
    if threads.isSending {
      guard end < .infinity, user.sendsDuringSleep() else {
        threads.finishSending()
        return try sleep(mode, mustNotSleep)
      }
      user.noteSleep(until: end)
    }
    if mode.timers.isMasked, substitute == nil || mode.timers.areOwnDue(now) {
      user.note("sleeps on, as a timer of a user masks the one that is due")
    } else if end > now, !threads.isSending {
      try user.checkSleep(in: mode, until: end)
    }
    if end < .infinity {
      user.note("sleeps for \(end - now) s")
      letPass(max(0, end - now))
      if timer == nil {
        mode.substitute = nil
        return .wakeUp
      }
      _ = mode.timers.takeReady(now)
      return .timer
    }
    user.note("sleeps until a timer of a user is due")
    letPass(100)
    mode.timers.set(.user, now)
    _ = mode.timers.takeReady(now)
    return .userTimer
  }

  private func takeWaking(_ mode: SimulatedMode) -> Waking? {
    defer { isWokenUp = false }
    if isWokenUp { return .wakeUp }
    return mode.timers.takeReady(now) ? .timer : nil
  }

  private func fireTimers(in mode: SimulatedMode) throws {
    for timer in mode.timers.due(now) where (mode.timers.date(of: timer) ?? .infinity) <= now {
      switch timer {
      case .own: mode.fire(.own, in: mode)
      case .common: self.mode(.common).fire(.common, in: mode)
      case .user:
        mode.timers.fire(.user)
        try user.callOut(.timer)
      }
    }
  }
}
