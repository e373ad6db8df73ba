import Foundation

/// The task clock of a run loop as a Swift `Clock`, for code that takes `any Clock<Duration>`.
///
/// It is the clock of ``RunLoopTask/after(_:)``. It stands still while the machine sleeps, and
/// `RunLoop.advance(by:)` of the product `RunLoopVirtualTime` moves it. Debounces, retries and polling that use it
/// therefore need no real time in a test. ``RunLoopTaskQueue/clock`` returns it.
///
/// ```swift
/// func loadWithRetries(clock: any Clock<Duration>) async throws -> Data {
///   for seconds in 1...3 {
///     if let data = try? await download() { return data }
///     try await clock.sleep(for: .seconds(seconds))
///   }
///   return try await download()
/// }
///
/// let data = try await loadWithRetries(clock: RunLoopTaskQueue.main.clock)
/// ```
///
/// A task of the loop ends each sleep. If the thread never runs its loop, a sleep lasts until its `Task` is cancelled
/// or the thread ends.
public struct RunLoopClock: Clock, Sendable {
  let queue: RunLoopTaskQueue

  /// A point in time of a loop's clock.
  ///
  /// It counts nanoseconds and stops at the earliest and the latest date that it can express. The instants of different
  /// loops have nothing to do with each other.
  public struct Instant: InstantProtocol, Sendable {
    let nanoseconds: Int64

    /// The instant at a distance from this one, rounded up to a nanosecond.
    ///
    /// - Parameter duration: the distance, below zero for an earlier instant.
    public func advanced(by duration: Duration) -> Instant {
      Instant(nanoseconds: nanoseconds.addingSaturated(duration.wholeNanoseconds))
    }

    /// The distance to another instant of the same clock, below zero if that one is earlier.
    ///
    /// - Parameter other: the other instant.
    public func duration(to other: Instant) -> Duration { .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds) }

    /// Whether the first instant is earlier.
    public static func < (one: Instant, other: Instant) -> Bool { one.nanoseconds < other.nanoseconds }
  }

  /// The current instant. You can read it on any thread, but not in the `==` or `hash(into:)` of a key.
  public var now: Instant { Instant(nanoseconds: queue.scheduler.time) }

  /// The smallest step of the clock: a nanosecond. A sleep that waits for real time ends some microseconds late.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until the clock has reached a deadline.
  ///
  /// A task in the loop's common modes ends the wait, at the first activity of the loop after the deadline. The loop
  /// wakes for it. The caller waits without blocking a thread. If the deadline has passed, the call does not wait. The
  /// latest deadline is the clock's last date, and a later one counts as that.
  ///
  /// - Parameters:
  ///   - deadline: the instant to wait for.
  ///   - tolerance: has no effect.
  /// - Throws: `CancellationError` if the surrounding `Task` is cancelled, the loop ends or has ended, or
  ///   ``RunLoopTaskQueue/cancelAll()`` is called. A call on another thread takes effect when the loop next looks.
  /// - Complexity: O(log *n*), where *n* is the number of waiting tasks.
  public nonisolated(nonsending) func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    guard deadline > now else { return }
    let plan = TaskPlan(
      call: Call("", #fileID, #line), date: min(deadline.nanoseconds, .max - 1), modes: [.common], isSendable: true)
    try await queue.run(plan, {}, isolation: #isolation)
  }

  /// Waits for a duration of the clock.
  ///
  /// ```swift
  /// try await RunLoopTaskQueue.main.clock.sleep(for: .seconds(1))
  /// ```
  ///
  /// Unlike a call through `any Clock`, it begins on the caller's actor.
  ///
  /// - Parameters:
  ///   - duration: the time to wait.
  ///   - tolerance: has no effect.
  /// - Throws: `CancellationError`, as ``sleep(until:tolerance:)``.
  /// - Complexity: O(log *n*), where *n* is the number of waiting tasks.
  public nonisolated(nonsending) func sleep(for duration: Duration, tolerance: Duration? = nil) async throws {
    try await sleep(until: now.advanced(by: duration), tolerance: tolerance)
  }
}

extension RunLoopTaskQueue {
  /// The clock of the loop's delays, for code that takes `any Clock<Duration>`.
  ///
  /// ```swift
  /// let clock = RunLoopTaskQueue.main.clock
  /// let start = clock.now
  /// try await clock.sleep(for: .milliseconds(300))
  /// print(start.duration(to: clock.now))
  /// ```
  public var clock: RunLoopClock { RunLoopClock(queue: self) }
}
