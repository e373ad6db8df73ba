import CoreFoundation

/// How soon to wake the loop when there is no work, only to find out whether its mode is empty, or whether a pass will be idle.
///
/// An observer may schedule something in every pass, and so give a reason in every pass: the loop would never sleep. So after a few
/// times in a row it naps before, and each time that it has slept through a nap, the next one is twice as long. Where events keep it
/// awake instead, the naps stay short: once those end, a run whose mode is empty must return promptly.
struct Looks {
  /// How often in a row to look at once.
  static let atOnce = 4
  /// The first nap, in seconds.
  static let shortestNap = 0.001
  static let longestNap = 64.0

  private(set) var count = 0
  private var nap = shortestNap
  private var beginOfNap = CFAbsoluteTime()

  /// Counts one more.
  ///
  /// - Returns: for how many seconds to let the loop sleep before.
  mutating func next(at now: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()) -> CFTimeInterval {
    count += 1
    beginOfNap = now
    return count > Self.atOnce ? nap : 0
  }

  /// The loop has been woken.
  mutating func noteWaking(at now: @autoclosure () -> CFAbsoluteTime = CFAbsoluteTimeGetCurrent()) {
    // A timer and this clock need not agree to the last digit.
    if count > Self.atOnce, now() - beginOfNap > nap / 2 { nap = min(2 * nap, Self.longestNap) }
  }

  /// There was work, or nothing to find out.
  mutating func reset() {
    self = Looks()
  }
}
