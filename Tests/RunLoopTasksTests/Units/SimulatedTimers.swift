/// The timers of one mode of a simulated run loop, and the one port that CoreFoundation has for them.
///
/// CoreFoundation arms the port when the earliest date changes. After the port has woken a run, the timers fire only
/// when the call-outs of `afterWaiting` are over. Until then the earliest date stays as it is, so a timer with a later
/// date is *masked*: nothing arms the port for it.
struct SimulatedTimers {
  enum Timer { case own, common, user }

  /// The date of a timer that fires only if the loop sleeps. A timer without a date has the date `Int.max`.
  static let later = Int.max - 1

  /// The timer of the mode's keep-alive.
  private(set) var own = Int.max
  /// The timer of the keep-alive of the common modes.
  private var common = Int.max
  /// A timer of a user that is due.
  private var user = Int.max
  /// The date that the port was armed for.
  private var armedDate = Int.max
  private var isReady = false

  var earliest: Int { min(own, min(common, user)) }

  /// Whether a keep-alive is due, and a timer of a user as well, so that the port may not be armed.
  var isMaskedByUser: Bool { user != .max && min(own, common) < Self.later }

  /// The timers that are due, in the order in which they fire.
  var due: [(timer: Timer, date: Int)] {
    [(.own, own), (.common, common), (.user, user)].filter { $0.1 < Self.later }.sorted { $0.1 < $1.1 }
  }

  func date(of timer: Timer) -> Int {
    switch timer {
    case .own: own
    case .common: common
    case .user: user
    }
  }

  mutating func set(_ timer: Timer, _ date: Int) {
    switch timer {
    case .own: own = date
    case .common: common = date
    case .user: user = date
    }
    arm()
  }

  /// Whether the port is ready to wake a run, which uses that up.
  mutating func takeReady() -> Bool {
    defer { isReady = false }
    return isReady
  }

  /// A timer begins to fire: CoreFoundation arms the port anew for the others.
  mutating func fire(_ timer: Timer) {
    armedDate = .max
    set(timer, .max)
  }

  /// Lets the time pass until the timers with the date `later` are due. They have woken a run.
  mutating func letPass() {
    if own == Self.later { own = 0 }
    if common == Self.later { common = 0 }
    (armedDate, isReady) = (0, false)
  }

  private mutating func arm() {
    let next = earliest
    if next == .max {
      isReady = false
    } else if next != armedDate {
      isReady = next < Self.later
    }
    armedDate = next
  }
}
