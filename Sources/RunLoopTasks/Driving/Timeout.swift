/// The date at which a timeout ends, which may be never.
struct Timeout {
  private let date: ContinuousClock.Instant?

  static let never = Timeout(.seconds(Int64.max))

  /// A timeout of more than thirty years never ends, and one below zero has ended. Swift's dates cannot count much
  /// further.
  init(_ timeout: Duration) { date = timeout < .seconds(1_000_000_000) ? .now + max(timeout, .zero) : nil }

  var hasPassed: Bool { date.map { ContinuousClock.now >= $0 } ?? false }

  var secondsLeft: Double {
    guard let date else { return DrivenRun.noLimit }
    return max(0, ContinuousClock.now.duration(to: date) / .seconds(1))
  }
}
