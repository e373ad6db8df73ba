import Foundation

/// The clock of a loop's delays, limits and intervals, in nanoseconds. It stops while the machine sleeps, and
/// `RunLoop.advance(by:)` moves it.
struct TaskClock {
  private var offset: Int64 = 0
  /// The time at which the clock stands still, in the passes of `advance`; `nil` if it is running.
  private var frozen: Int64?

  var now: Int64 { frozen ?? Self.uptime.addingSaturated(offset) }

  var isFrozen: Bool { frozen != nil }

  /// A test holds the clock, which then runs on nowhere, and no date comes but in `advance`.
  var isHeld = false

  /// Freezes the clock at `date`, or at the current time if that is later.
  mutating func freeze(at date: Int64 = .min) { frozen = max(now, date) }

  /// The date to which an `advance` to `date` leads. It never comes near the last date, where nothing could wait.
  func limited(_ date: Int64) -> Int64 { max(now, min(date, Self.uptime.addingSaturated(Self.century))) }

  /// How far the clock may be ahead of the uptime, in nanoseconds: 100 years.
  private static let century: Int64 = 36_525 * 86_400 * 1_000_000_000

  /// Lets the clock run on from the time that it shows, unless it is held.
  mutating func resume() { if !isHeld { (offset, frozen) = (leadOnUptime, nil) } }

  /// The uptime at which a date comes if the clock runs on from now. The date `.max` stands for never.
  func uptime(of date: Int64) -> Int64 { date == .max ? .max : date.addingSaturated(-leadOnUptime) }

  /// The date that comes at an uptime if the clock runs on from now.
  func date(of uptime: Int64) -> Int64 { uptime.addingSaturated(leadOnUptime) }

  private var leadOnUptime: Int64 { frozen.map { $0 - Self.uptime } ?? offset }

  /// Nanoseconds since the machine was started, without those in which it slept.
  static var uptime: Int64 { nanosecondsOfUptime() }
}

extension Int64 {
  /// The date that comes so many nanoseconds after this one, or the last one. `.max` stands for never.
  func date(after nanoseconds: Int64) -> Int64 { Swift.min(addingSaturated(nanoseconds), .max - 1) }

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
