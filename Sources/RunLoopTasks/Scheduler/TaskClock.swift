import Foundation
import Synchronization

/// The clock of a loop's delays, limits and intervals, in nanoseconds. It stands still while the machine sleeps.
///
/// `RunLoop.advance(by:)` moves it, on the loop's own thread. Any thread may read it.
struct TaskClock: ~Copyable, Sendable {
  /// By how much the clock was advanced.
  private let offset = Atomic<Int64>(0)
  /// What the clock shows while it is being advanced; 0 if it is not.
  private let frozen = Atomic<Int64>(0)
  /// How deep in nested runs the pass is for which the clock stands still.
  private let frozenDepth = Atomic(0)

  var now: Int64 {
    let frozen = frozen.load(ordering: .relaxed)
    return frozen > 0 ? frozen : Self.uptime.addingSaturated(offset.load(ordering: .relaxed))
  }

  var isFrozen: Bool { frozen.load(ordering: .relaxed) > 0 }

  /// Lets the clock show `date`, if that is later, until it is told otherwise.
  ///
  /// - Parameter depth: how deep in nested runs the pass is that follows.
  func freeze(at date: Int64, depth: Int) {
    frozen.store(max(now, date), ordering: .relaxed)
    frozenDepth.store(depth, ordering: .relaxed)
  }

  /// Calls `body`, which runs a pass at a depth. If the clock stands still, it does so in that pass, too.
  func standingStill(atDepth depth: Int, _ body: () -> Void) {
    guard isFrozen else { return body() }
    let outerDepth = frozenDepth.exchange(depth, ordering: .relaxed)
    body()
    frozenDepth.store(outerDepth, ordering: .relaxed)
  }

  /// Lets the clock run again, from where it stands.
  func resume() {
    guard isFrozen else { return }
    offset.store(max(0, frozen.load(ordering: .relaxed) - Self.uptime), ordering: .relaxed)
    frozen.store(0, ordering: .relaxed)
  }

  /// Lets the clock run again in a run that is nested in the pass for which it stands still: that run has slept.
  func resume(inRunOfDepth depth: Int) {
    if depth > frozenDepth.load(ordering: .relaxed) { resume() }
  }

  /// The date at which `duration` from now has passed, or the last one that the clock can show.
  func date(after duration: Duration) -> Int64 { now.addingSaturated(duration.wholeNanoseconds) }

  /// Nanoseconds since the machine was started, without those in which it slept.
  static var uptime: Int64 { Int64(clamping: DispatchTime.now().uptimeNanoseconds) }
}

extension Int64 {
  /// The sum of two numbers that are not negative, or the largest number.
  func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    return isTooLarge ? .max : sum
  }
}

extension Duration {
  /// The nanoseconds of a duration, rounded up, as far as they fit.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let rest = (attoseconds + (attoseconds > 0 ? 999_999_999 : 0)) / 1_000_000_000
    let (sum, isStillTooLong) = product.addingReportingOverflow(rest)
    return isTooLong || isStillTooLong ? (seconds < 0 ? .min : .max) : sum
  }
}
