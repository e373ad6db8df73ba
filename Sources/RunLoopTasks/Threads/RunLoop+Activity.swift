import Foundation

extension RunLoop {
  /// The moments of a run at which a run loop calls its observers.
  ///
  /// A run begins with ``entry`` and ends with ``exit``. In between, the loop goes through ``beforeTimers``,
  /// ``beforeSources``, ``beforeWaiting`` and ``afterWaiting``, again and again. Once it has served a custom source, it
  /// goes back to ``beforeTimers`` without the last two. A run with a time limit of zero never reaches them.
  public struct Activity: OptionSet, Sendable {
    // The bits are CoreFoundation's own.

    /// The activities as the bits of a `CFRunLoopActivity`.
    public let rawValue: UInt

    /// Creates a set of activities from the bits of a `CFRunLoopActivity`.
    ///
    /// - Parameter rawValue: the bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The loop enters a run.
    public static let entry = Activity(rawValue: 1 << 0)
    /// The loop is about to process its timers.
    public static let beforeTimers = Activity(rawValue: 1 << 1)
    /// The loop is about to process its signalled sources.
    public static let beforeSources = Activity(rawValue: 1 << 2)
    /// The loop is about to sleep.
    public static let beforeWaiting = Activity(rawValue: 1 << 5)
    /// The loop has woken but has not yet processed the event that woke it.
    public static let afterWaiting = Activity(rawValue: 1 << 6)
    /// The loop leaves the run.
    public static let exit = Activity(rawValue: 1 << 7)
    /// All activities.
    public static let all: Activity = [.entry, .beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting, .exit]
  }
}

extension RunLoop.Activity: CustomStringConvertible {
  /// The names of the activities, in the order of a pass.
  public var description: String {
    // By the numbers of their bits.
    let names = ["entry", "beforeTimers", "beforeSources", nil, nil, "beforeWaiting", "afterWaiting", "exit"]
    let own = names.indices.compactMap { contains(Self(rawValue: 1 << $0)) ? names[$0] : nil }
    return own.count == 1 ? own[0] : "[\(own.joined(separator: ", "))]"
  }
}
