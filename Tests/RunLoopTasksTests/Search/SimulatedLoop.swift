import Foundation

@testable import RunLoopTasks

/// A small CFRunLoop with two modes, on which the scheduler runs that is shipped.
///
/// It simulates what makes waking hard: wake-ups that are ignored, wake-ups that a nested run uses up, modes that are
/// empty, runs that only poll, timers that have woken a run and have not fired yet, and modes that become common ones.
/// At each point where CoreFoundation calls out, a user may do something: see `SimulatedUser`. Time is simulated, too.
final class SimulatedLoop: HostLoop, @unchecked Sendable {
  // Unchecked, because a simulation stays on one thread.

  static let modes = [RunLoop.Mode("A"), RunLoop.Mode("B")]

  let configuration: SimulatedConfiguration
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

  init(_ configuration: SimulatedConfiguration) {
    self.configuration = configuration
    scheduler = Scheduler(self, of: nil)
    base = scheduler.clock.now
    for (name, isUsed) in zip(Self.modes, configuration.isUsed) {
      let mode = mode(name)
      mode.hasUserTimer = configuration.hasTimer.contains(name)
      mode.isCommon = configuration.usesCommonModes && name == Self.modes[0]
      if isUsed { scheduler.attachment.withLock { _ = $0.mode(name).map { $0.isObserved = true } } }
      mode.isObserved = isUsed
    }
    if configuration.isUsed.contains(true) {
      scheduler.attachment.withLock { _ = $0.mode(.common).map { $0.isObserved = true } }
      mode(.common).isObserved = true
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

  var isRunning: Bool { !running.isEmpty && configuration.fault != .runsAreInvisible }

  func currentMode(_ scheduler: Scheduler) -> ModeID? {
    user?.postDuringCall()
    return running.last.map(scheduler.id)
  }

  func wakeUp() {
    user?.postDuringCall()
    if !ignoresWakeUps, configuration.fault != .wakeUpsGetLost { isWokenUp = true }
  }

  func end() {}

  // MARK: What users call

  var innermostMode: SimulatedMode? { running.last.map(mode) }
  var commonModes: [SimulatedMode] { Self.modes.map(mode).filter(\.isCommon) }

  func makeCommon(_ name: RunLoop.Mode) {
    let mode = mode(name)
    guard !mode.isCommon else { return }
    mode.isCommon = true
    if self.mode(.common).isAttached {
      wakeUp()
      scheduler.modeHasBecomeCommon(onLoopThread: true)
    }
    mode.timers.set(.common, self.mode(.common).date)
  }

  /// Lets the current run end after its turn.
  func stop() { if !isStopped.isEmpty { isStopped[isStopped.count - 1] = true } }

  func isEmpty(_ mode: SimulatedMode) -> Bool {
    !mode.hasUserTimer && !mode.isAttached && !(mode.isCommon && self.mode(.common).isAttached)
  }

  // MARK: Runs

  func run(_ name: RunLoop.Mode, isPoll: Bool = false) throws {
    let mode = mode(name)
    guard !isEmpty(mode) else { return try user.checkEmpty(mode) }
    let outerIgnoresWakeUps = ignoresWakeUps
    ignoresWakeUps = false
    running.append(name)
    isStopped.append(false)
    user.note("\(isPoll ? "poll" : "run") of \(name.rawValue) begins")
    try perform(.entry, mode)
    var turns = 0
    repeat {
      turns += 1
      try user.noteTurn()
    } while try turn(mode, isPoll: isPoll, turns) && turns < SimulatedUser.maxTurns
    try perform(.exit, mode)
    running.removeLast()
    isStopped.removeLast()
    user.note("run of \(name.rawValue) has ended")
    ignoresWakeUps = outerIgnoresWakeUps
  }

  private func perform(_ activity: RunLoop.Activity, _ mode: SimulatedMode) throws {
    let isObserved = mode.isObserved || mode.isCommon && self.mode(.common).isObserved  // collected once an activity
    if activity == .entry {
      try user.callOut(.entryFirst)
      if isObserved { scheduler.enter(in: currentMode(scheduler)) }
    }
    try user.callOut(.before(activity))
    if isObserved { try user.inBatch { scheduler.handle(activity, in: currentMode(scheduler)) } }
    try user.callOut(.after(activity))
    guard activity == .beforeWaiting || activity == .exit else { return }
    if isObserved { scheduler.finish(activity, in: currentMode(scheduler)) }
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
    // Where nothing but the timer of a user is left, two turns are enough.
    return !(isPoll || isEmpty(mode) || isStopped[isStopped.count - 1] || waking == .userTimer && number > 1)
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
    if mode.timers.isMasked, substitute == nil || mode.timers.areOwnDue(now) {
      user.note("sleeps on, as a timer of a user masks the one that is due")
    } else if end > now {
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

/// A mode of a simulated loop, or the common modes.
final class SimulatedMode: HostMode, @unchecked Sendable {
  // Unchecked, because a simulation stays on one thread.

  let name: RunLoop.Mode
  private unowned let loop: SimulatedLoop
  var timers = SimulatedTimers()
  var hasUserTimer = false
  var isObserved = false
  var isAttached = false
  var isCommon = false
  /// The date of the engine's timer.
  private(set) var date: Double?
  /// The date at which something else wakes the loop, because another timer holds up the engine's.
  var substitute: Double?

  init(_ name: RunLoop.Mode, _ loop: SimulatedLoop) { (self.name, self.loop) = (name, loop) }

  func observe() { isObserved = true }

  func attach() { if loop.configuration.fault != .attachingIsForgotten { isAttached = true } }

  func detach() {
    isAttached = false
    setDate(nil)
  }

  func makeDue(after seconds: Double) {
    guard loop.configuration.fault != .modesAreNotDue else { return }
    setDate(nil)
    loop.letPass(0)
    let date = loop.now + seconds
    setDate(date)
    if seconds > 0, timers.isMasked { substitute = date }
  }

  var secondsLeft: Double? { date.map { max(0, $0 - loop.now) } }

  func secondsToNextTimer(besides common: any HostMode) -> Double {
    timers.date(of: .user).map { $0 - loop.now } ?? .infinity
  }

  /// The engine's timer fires, in a run of a mode.
  func fire(_ timer: SimulatedTimers.Timer, in mode: SimulatedMode) {
    mode.timers.fire(timer)
    setDate(nil)
  }

  private func setDate(_ new: Double?) {
    (date, substitute) = (new, nil)
    if name == .common {
      for mode in loop.commonModes { mode.timers.set(.common, new) }
    } else {
      timers.set(.own, new)
    }
  }
}

/// What a simulation begins with.
struct SimulatedConfiguration: CustomStringConvertible {
  /// Something that the host does not do, so that a search must find a hole.
  enum Fault: CaseIterable {
    case wakeUpsGetLost, modesAreNotDue, attachingIsForgotten, runsAreInvisible
  }

  /// The modes with a timer of a user, which keeps them alive.
  var hasTimer: [RunLoop.Mode]
  /// For each mode, whether the package observes it from the beginning.
  var isUsed: [Bool]
  /// Whether the first mode is a common one, and the second may become one.
  var usesCommonModes: Bool
  var fault: Fault?

  static let all = [false, true].flatMap { usesCommonModes in
    (0..<16).map { bits in
      SimulatedConfiguration(
        hasTimer: [0, 1].filter { bits & 1 << $0 != 0 }.map { SimulatedLoop.modes[$0] },
        isUsed: [bits & 4 != 0, bits & 8 != 0], usesCommonModes: usesCommonModes)
    }
  }

  var description: String {
    "timers of a user: \(hasTimer.map(\.rawValue)), observed: \(isUsed)\(usesCommonModes ? ", A is common" : "")"
  }
}
