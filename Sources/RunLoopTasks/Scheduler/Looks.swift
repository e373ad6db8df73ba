import CoreFoundation

/// How soon to wake the loop when there is no work, only to find out whether its mode is empty, or whether a pass will be idle.
///
/// An observer may schedule something in every pass, and so give a reason in every pass: the loop would never sleep. So after a few
/// times in a row it naps before, and each time that it has slept through a nap, the next one is twice as long. After an event the
/// naps are short again: a run whose mode is empty must return promptly after the last.
struct Looks {
  /// How often in a row to look at once.
  static let atOnce = 4
  /// The first nap, in seconds.
  static let shortestNap = 0.001
  static let longestNap = 16.0

  private(set) var count = 0
  private var nap = shortestNap
  private var beginOfNap = CFAbsoluteTime()

  /// Counts one more.
  ///
  /// - Returns: for how many seconds to let the loop sleep before.
  mutating func next(at now: @autoclosure () -> CFAbsoluteTime = CFAbsoluteTimeGetCurrent()) -> CFTimeInterval {
    count += 1
    guard count > Self.atOnce else { return 0 }
    beginOfNap = now()
    return nap
  }

  /// The loop has been woken.
  mutating func noteWaking(at now: @autoclosure () -> CFAbsoluteTime = CFAbsoluteTimeGetCurrent()) {
    guard count > Self.atOnce else { return }
    // Nearly: a timer and this clock need not agree to the last digit.
    let hasSleptThrough = now() - beginOfNap > 0.9 * nap
    nap = hasSleptThrough ? min(2 * nap, Self.longestNap) : Self.shortestNap
  }

  /// There was work, or nothing to find out.
  mutating func reset() {
    self = Looks()
  }
}
