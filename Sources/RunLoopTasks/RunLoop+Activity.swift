import Foundation

extension RunLoop {
  /// The moments of a run at which a run loop calls its observers.
  ///
  /// A run begins with ``entry`` and ends with ``exit``. Between them each turn goes through ``beforeTimers``, ``beforeSources``,
  /// ``beforeWaiting`` and ``afterWaiting``; a turn in which a custom source had something to do, or of a run that has no time,
  /// skips the last two.
  public struct Activity: OptionSet, Sendable {
    // The bits are CoreFoundation's own.

    /// CoreFoundation's number for the activities.
    public let rawValue: UInt

    /// The activities with CoreFoundation's numbers.
    ///
    /// - Parameter rawValue: their sum.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A run is entered.
    public static let entry = Activity(rawValue: 1 << 0)
    /// The loop is about to look for timers that are due.
    public static let beforeTimers = Activity(rawValue: 1 << 1)
    /// The loop is about to serve the sources that were signalled.
    public static let beforeSources = Activity(rawValue: 1 << 2)
    /// The loop is about to sleep.
    public static let beforeWaiting = Activity(rawValue: 1 << 5)
    /// The loop has woken, and has not yet served what woke it.
    public static let afterWaiting = Activity(rawValue: 1 << 6)
    /// The run is left.
    public static let exit = Activity(rawValue: 1 << 7)
    /// Each of them.
    public static let all: Activity = [.entry, .beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting, .exit]
  }
}

extension RunLoop.Activity: CustomStringConvertible {
  /// The names of the activities, in the order of a turn.
  public var description: String {
    let names: [(RunLoop.Activity, String)] = [
      (.entry, "entry"), (.beforeTimers, "beforeTimers"), (.beforeSources, "beforeSources"),
      (.beforeWaiting, "beforeWaiting"), (.afterWaiting, "afterWaiting"), (.exit, "exit"),
    ]
    let own = names.filter { contains($0.0) }.map(\.1)
    return own.count == 1 ? own[0] : "[\(own.joined(separator: ", "))]"
  }
}
