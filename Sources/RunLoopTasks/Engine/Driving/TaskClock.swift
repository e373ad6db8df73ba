import Foundation
import Synchronization

/// The clock of a loop's delays, limits and intervals, in nanoseconds. It stops while the machine sleeps.
///
/// `RunLoop.advance(by:)` moves it, on the loop's own thread. Any thread may read it.
struct TaskClock: ~Copyable, Sendable {
  /// The time that the clock is ahead of `uptime`, or behind it, since it stands still in the passes of `advance`.
  private let offset = Atomic<Int64>(0)
  /// The time at which the clock is frozen; 0 if it is not frozen.
  private let frozen = Atomic<Int64>(0)

  var now: Int64 {
    let before = frozen.load(ordering: .acquiring)
    if before > 0 { return before }
    let time = running
    let after = frozen.load(ordering: .acquiring)  // the clock may have been frozen before the time was read
    return after > 0 ? after : time
  }

  private var running: Int64 { Self.uptime.addingSaturated(offset.load(ordering: .relaxed)) }

  var isFrozen: Bool { frozen.load(ordering: .relaxed) > 0 }

  /// Freezes a running clock. No thread that has read the running clock is ahead of it, because whoever still saw it
  /// running has read it before the second time:
  ///
  ///     own thread       freezes ─ reads the running clock ─ freezes at that time
  ///     another thread   sees it running ─ reads it ─ sees it running
  func freeze() {
    if isFrozen { return }
    frozen.store(running, ordering: .sequentiallyConsistent)
    frozen.store(running, ordering: .relaxed)
  }

  /// Freezes the clock at `date`, or at the current time if that is later.
  func freeze(at date: Int64) {
    freeze()
    frozen.store(max(now, date), ordering: .relaxed)
  }

  /// Lets a frozen clock run again, from the time that it shows.
  func resume() {
    guard isFrozen else { return }
    offset.store(frozen.load(ordering: .relaxed) - Self.uptime, ordering: .relaxed)
    frozen.store(0, ordering: .releasing)  // a thread that no longer sees the clock frozen sees the offset
  }

  /// The date at which `duration` from now has passed, or the last one. `.max` stands for never.
  func date(after duration: Duration) -> Int64 { min(now.addingSaturated(duration.wholeNanoseconds), .max - 1) }

  /// The uptime at which a date comes if the clock runs on from now.
  func uptime(of date: Int64) -> Int64 {
    let frozen = frozen.load(ordering: .relaxed)
    if date == .max { return .max }
    return frozen > 0
      ? Self.uptime.addingSaturated(date - frozen) : date.addingSaturated(-offset.load(ordering: .relaxed))
  }

  /// Nanoseconds since the machine was started, without those in which it slept.
  static var uptime: Int64 { nanosecondsOfUptime() }
}

extension Int64 {
  /// The sum, or the number of this type that is nearest to it.
  func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, isOutside) = addingReportingOverflow(other)
    return isOutside ? (other < 0 ? .min : .max) : sum
  }
}

extension Duration {
  /// The nanoseconds of a duration, rounded up, as far as they fit.
  var wholeNanoseconds: Int64 {
    let (nanoseconds, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return Int64(clamping: rest > 0 ? nanoseconds + 1 : nanoseconds)
  }
}
