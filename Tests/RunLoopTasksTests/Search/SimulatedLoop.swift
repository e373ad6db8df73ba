import Foundation

@testable import RunLoopTasks

/// A small CFRunLoop with two modes, on which the scheduler runs that is shipped.
///
/// It simulates what makes waking hard: wake-ups that are ignored, wake-ups that a nested run uses up, modes that are
/// empty, runs that only poll, runs that began before their mode was observed, and modes that become common ones. At
/// each point where CoreFoundation calls out, a user may do something: see `SimulatedUser`. Time is simulated, too.
final class SimulatedLoop: LoopDriver, @unchecked Sendable {
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
  private(set) var now = 1_000.0
  private(set) var base: Int64 = 0

  /// The engine has let its clock run on, in a run that was nested in a pass.
  private(set) var hasUsedRealTime = false

  private var simulatedModes: [RunLoop.Mode: SimulatedMode] = [:]
  private var alarm = Double.infinity
  private var isWokenUp = false
  private var ignoresWakeUps = true
  private(set) var running: [RunLoop.Mode] = []
  private var isStopped: [Bool] = []
  /// Whether a run began before its mode was observed, and has come to no activity since.
  private var isUnseen: [Bool] = []
  /// Whether a run may sleep on tasks until its next activity: another run was nested in it while it was unseen, or its
  /// mode has become a common mode.
  private var isExcused: [Bool] = []

  init(_ configuration: SimulatedConfiguration, _ threads: TwoThreads) {
    (self.configuration, self.threads) = (configuration, threads)
    scheduler = Scheduler(self, of: nil, lock: threads.makeLock())
    base = scheduler.clock.now
    for (name, isUsed) in zip(Self.modes, configuration.isUsed) {
      mode(name).hasUserTimer = configuration.hasTimer.contains(name)
      if configuration.usesCommonModes, name == Self.modes[0] { makeCommon(name) }
      if isUsed { _ = scheduler.id(of: name) }
    }
    letPass(0)
  }

  func mode(_ name: RunLoop.Mode) -> SimulatedMode {
    let mode = simulatedModes[name] ?? SimulatedMode(name)
    simulatedModes[name] = mode
    return mode
  }

  /// Lets time pass. Two dates are never the same.
  func letPass(_ seconds: Double) {
    now += seconds + 1e-6
    scheduler.changeClock { $0.freeze(at: base + Int64(now * 1e9)) }
    guard alarm <= now else { return }
    alarm = .infinity
    if !ignoresWakeUps { isWokenUp = true }
  }

  // MARK: What the engine calls

  /// A call of the engine, which any thread may interrupt before it takes effect and after it.
  private func call<Result>(
    _ name: @autoclosure () -> String, isUnlocked: Bool = false, _ effect: () -> Result
  ) -> Result {
    threads.point("before it \(name())", isUnlocked: isUnlocked)
    user?.note("– it \(name())")
    let result = effect()
    threads.point("after it \(name())", isUnlocked: isUnlocked)
    return result
  }

  func observe(_ mode: RunLoop.Mode) {
    call("observes \(mode.rawValue)") {
      self.mode(mode).isObserved = true
      noteWakeUp()
    }
  }

  func takeProbe(from mode: RunLoop.Mode) -> Bool {
    call("takes the probe from \(mode.rawValue)", isUnlocked: true) { exchange(&self.mode(mode).hasProbe, with: false) }
  }

  var isRunning: Bool { !running.isEmpty }

  func currentMode(_ scheduler: Scheduler) -> ModeID? {
    call("asks for the current mode", isUnlocked: true) { running.last.map(scheduler.id) }
  }

  func wakeUp() { call("wakes the loop", isUnlocked: true) { noteWakeUp() } }

  private func noteWakeUp() { if !ignoresWakeUps, configuration.fault != .wakeUpsGetLost { isWokenUp = true } }

  func setAlarm(at date: Int64, _: Scheduler) {
    if !scheduler.clock.isFrozen { hasUsedRealTime = true }
    call("sets the alarm", isUnlocked: true) {
      let isLost = date == .max || configuration.fault == .alarmsGetLost
      alarm = isLost ? .infinity : max(now, Double(date - base) / 1e9)
    }
  }

  func armCallBack(in mode: RunLoop.Mode, _ body: @escaping () -> Void) {
    call("wants to be called back in \(mode.rawValue)", isUnlocked: true) {
      self.mode(mode).callBack = body
    }
  }

  func disarmCallBack() -> Bool {
    defer { for mode in simulatedModes.values { mode.callBack = nil } }
    return simulatedModes.values.contains { $0.callBack != nil }
  }

  func add(_ keeper: LoopSource, to mode: RunLoop.Mode) {
    call("attaches \(mode.rawValue)") {
      let mode = self.mode(mode)
      switch configuration.fault {
      case .attachingIsForgotten: break
      case .attachingIsLate: threads.afterUnlock { mode.isAttached = true }
      default: mode.isAttached = true
      }
    }
  }

  func remove(_ keeper: LoopSource, from mode: RunLoop.Mode) {
    call("detaches \(mode.rawValue)") { self.mode(mode).isAttached = false }
  }

  func add(_ observer: LoopObserver, to mode: RunLoop.Mode) {}
  func remove(_ observer: LoopObserver, from mode: RunLoop.Mode) {}
  func end() {}

  func runPass(in mode: RunLoop.Mode, watch _: PassWatch?) {
    base = scheduler.clock.now - Int64(now * 1e9)  // `advance(by:)` may have moved the clock
    if user.failure == nil {
      do { try run(mode, .pass) } catch { user.failure = error as? SimulatedUser.End }
    }
    if user.failure != nil { scheduler.runs.expect(nil) }
  }

  // MARK: What users call

  var innermostMode: SimulatedMode? { running.last.map(mode) }
  var isInnermostExcused: Bool { isExcused.last == true }
  var commonModes: [SimulatedMode] { Self.modes.map(mode).filter(\.isCommonMode) }

  func makeCommon(_ name: RunLoop.Mode) {
    guard !mode(name).isCommonMode else { return }
    (mode(name).isCommonMode, mode(name).hasProbe) = (true, true)
    for index in running.indices where running[index] == name { isExcused[index] = true }
  }

  /// Lets the current run end after its turn.
  func stop() { if !isStopped.isEmpty { isStopped[isStopped.count - 1] = true } }

  func isEmpty(_ mode: SimulatedMode) -> Bool {
    !mode.hasUserTimer && !mode.isAttached && !mode.hasProbe && mode.callBack == nil
  }

  // MARK: Runs

  enum RunKind {
    case run, poll
    /// Driven as by `runPass`: kept alive for one turn, and stopped before it sleeps.
    case pass
  }

  func run(_ name: RunLoop.Mode, _ kind: RunKind = .run) throws {
    let mode = mode(name)
    threads.point("before the run")
    guard kind == .pass || !isEmpty(mode) else { return try user.checkEmpty(mode) }
    let outerIgnoresWakeUps = ignoresWakeUps
    ignoresWakeUps = false
    running.append(name)
    isStopped.append(false)
    for index in isUnseen.indices where isUnseen[index] { isExcused[index] = true }
    isExcused.append(false)
    isUnseen.append(true)
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
    isExcused.removeLast()
    isUnseen.removeLast()
    user.note("run of \(name.rawValue) has ended")
    ignoresWakeUps = outerIgnoresWakeUps
  }

  private func turnOfPass(_ mode: SimulatedMode) throws {
    ignoresWakeUps = false
    if user.choose(2) == 1 { try user.callOut(.source) }
    letPass(0)
    callBack(mode)
    try perform(.beforeWaiting, mode)
    (isWokenUp, ignoresWakeUps) = (false, true)  // the stop of the run consumes a wake-up
    try perform(.afterWaiting, mode)
  }

  private func perform(_ activity: RunLoop.Activity, _ mode: SimulatedMode) throws {
    // Collected once an activity.
    let isObserved = mode.isObserved || mode.isCommonMode && self.mode(.common).isObserved
    if isObserved { (isUnseen[isUnseen.count - 1], isExcused[isExcused.count - 1]) = (false, false) }
    if activity == .entry {
      try user.callOut(.entryFirst)
      if isObserved { scheduler.runBegins(in: currentMode(scheduler)!) }
    }
    try user.callOut(.before(activity))
    if isObserved { try user.inBatch { scheduler.handle(Moment(activity), in: currentMode(scheduler)!) } }
    try user.callOut(.after(activity))
    guard activity == .beforeWaiting || activity == .exit else { return }
    if isObserved { scheduler.lastLook(at: Moment(activity), in: currentMode(scheduler)!) }
    threads.point("after the last look")
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
    switch waking {
    case .callBack: callBack(mode)
    case .userTimer: try user.callOut(.timer)
    default: break
    }
    threads.point("at the end of the turn")
    if !isPoll, isEmpty(mode) {
      try user.checkEmpty(mode)
      return false
    }
    // Where nothing but the timer of a user is left, two turns are enough.
    return !(isPoll || isStopped[isStopped.count - 1] || waking == .userTimer && number > 1)
  }

  private func callBack(_ mode: SimulatedMode) {
    guard let body = mode.callBack else { return }
    _ = disarmCallBack()
    body()
  }

  private enum Waking { case wakeUp, callBack, userTimer, poll }

  private func sleep(_ mode: SimulatedMode, _ mustNotSleep: Bool) throws -> Waking {
    letPass(0)
    if let waking = takeWaking(mode) { return waking }
    if mustNotSleep { return .poll }
    if user.choose(2) == 1 {
      user.postDuringSleep(for: mode.name)
      if let waking = takeWaking(mode) { return waking }
    }
    if threads.isSending {
      guard alarm < .infinity, user.sendsDuringSleep() else {
        threads.finishSending()
        return try sleep(mode, mustNotSleep)
      }
      user.noteSleep(until: alarm)
    } else {
      try user.checkSleep(in: mode, until: alarm)
    }
    if alarm < .infinity {
      user.note("sleeps for \((alarm - now).rounded()) s")
      letPass(max(0, alarm - now))
      isWokenUp = false
      return .wakeUp
    }
    user.note("sleeps until a timer of a user is due")
    letPass(100)
    return .userTimer
  }

  /// What the loop serves in this turn. Nothing says in which order.
  private func takeWaking(_ mode: SimulatedMode) -> Waking? {
    if mode.callBack != nil, !isWokenUp || user.choose(2) == 1 { return .callBack }
    defer { isWokenUp = false }
    return isWokenUp ? .wakeUp : nil
  }
}
