/// The date at which a timeout ends. Without a timeout, it never passes.
struct Timeout {
  private let date: ContinuousClock.Instant?

  init(_ timeout: Duration?) { date = timeout.map { .now + $0 } }

  var hasPassed: Bool { date.map { ContinuousClock.now >= $0 } ?? false }

  var secondsLeft: Double {
    guard let date else { return DrivenRun.noLimit }
    let (seconds, attoseconds) = ContinuousClock.now.duration(to: date).components
    return max(0, Double(seconds) + Double(attoseconds) / 1e18)
  }
}
