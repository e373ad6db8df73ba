/// The timers of one mode of a simulated run loop, and the one port that CoreFoundation has for them.
///
/// CoreFoundation arms the port when the earliest date changes. After the port has woken a run, the timers fire only
/// when the callouts of `afterWaiting` are over. Until then the earliest date stays as it is, so a timer with a later
/// date is *masked*: nothing arms the port for it.
struct SimulatedTimers {
  enum Timer: CaseIterable { case own, common, user }

  /// The dates of the mode's own timer, that of the common modes, and one of a user; `nil` without a timer.
  private var dates: [Timer: Double] = [:]
  /// The date that the port was armed for, and whether that date has come.
  private var armedDate: Double?
  private var isReady = false

  var earliest: Double? { dates.values.min() }

  /// Whether the port waits for another date than that of the earliest timer, or has used it up.
  var isMasked: Bool { earliest != nil && !isReady && (armedDate == nil || armedDate! <= earliest!) && hasBeenTaken }
  private var hasBeenTaken = false

  func date(of timer: Timer) -> Double? { dates[timer] }

  mutating func set(_ timer: Timer, _ date: Double?) {
    dates[timer] = date
    arm()
  }

  /// Lets time pass: the port becomes ready if its date has come.
  mutating func letPass(until now: Double) { if let armedDate, armedDate <= now, !hasBeenTaken { isReady = true } }

  /// Whether the port is ready to wake a run, which uses that up.
  mutating func takeReady(_ now: Double) -> Bool {
    letPass(until: now)
    defer { if isReady { (isReady, hasBeenTaken) = (false, true) } }
    return isReady
  }

  /// The timers that are due, in the order in which they fire.
  func due(_ now: Double) -> [Timer] {
    Timer.allCases.filter { (dates[$0] ?? .infinity) <= now }.sorted { dates[$0]! < dates[$1]! }
  }

  /// Whether a timer of the engine is due.
  func areOwnDue(_ now: Double) -> Bool { due(now).contains { $0 != .user } }

  /// A timer begins to fire: CoreFoundation arms the port anew for the others.
  mutating func fire(_ timer: Timer) {
    (armedDate, hasBeenTaken) = (nil, false)
    set(timer, nil)
  }

  private mutating func arm() {
    let next = earliest
    guard next != armedDate else { return }
    (armedDate, isReady, hasBeenTaken) = (next, false, false)
  }
}
