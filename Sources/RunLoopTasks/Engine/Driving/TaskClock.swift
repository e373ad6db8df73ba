import Foundation
import Synchronization

/// The clock of a loop's delays, limits and intervals, in nanoseconds. It stops while the machine sleeps.
///
/// `RunLoop.advance(by:)` moves it, on the loop's own thread. Any thread may read it.
struct TaskClock: ~Copyable, Sendable {
  /// The time that the clock is ahead of `uptime`, or behind it, since it stands still in the passes of `advance`.
  private let offset = Atomic<Int64>(0)
  /// The time at which the clock is frozen; 0 if it is running. In between a negative number, another one each time, so
  /// that a thread that was interrupted ends no later freezing.
  private let frozen = Atomic<Int64>(0)

  /// The time, which never goes back on any thread.
  var now: Int64 {
    while true {
      let state = frozen.load(ordering: .acquiring)
      if state > 0 { return state }
      let offset = offset.load(ordering: .acquiring)  // read later, so not older than the state
      let time = Self.uptime.addingSaturated(offset)
      if state < 0 {
        _ = frozen.compareExchange(expected: state, desired: time, ordering: .acquiringAndReleasing)
      } else if !isFrozen, self.offset.load(ordering: .acquiring) == offset {
        return time  // the clock was running all the time
      }
    }
  }

  var isFrozen: Bool { frozen.load(ordering: .acquiring) != 0 }

  /// Freezes a running clock, at the time that the first thread reads from now on. No thread that has read the running
  /// clock is ahead of it:
  ///
  ///     own thread       freezing ─ reads the time: frozen at it
  ///     another thread   reads the time ─ still running       reads: frozen
  func freeze() {
    if isFrozen { return }
    frozen.store(-Self.uptime, ordering: .sequentiallyConsistent)
    _ = now
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
