import Foundation

/// The threads that Swift's async code shares, as one `advance(by:)` waits for them.
///
/// A call through `any Clock` leaves its actor for these threads, and comes back with a job of its own.
struct SharedThreads {
  /// The seconds for which it may still be waited.
  var patience: Double
  /// Other code has blocked them.
  private(set) var areBlocked = false

  /// Code comes back by one job, which ends before the first meeting, or by two in `Task.yield()`, the second of which comes
  /// behind the jobs of that meeting. Four leave room for twice that.
  private static let meetingsInARow = 4

  /// Waits until the jobs that are under way on these threads are over.
  ///
  /// If other code blocks threads, perhaps because it waits for the caller, this gives up, and does not wait again.
  mutating func letJobsEnd() {
    for _ in 1...Self.meetingsInARow where patience > 0 {
      let start = ContinuousClock.now
      areBlocked = !Meetings.shared.waitForNext(atMost: patience)
      patience = areBlocked ? 0 : patience - (ContinuousClock.now - start) / .seconds(1)
    }
  }
}

/// Meetings of jobs on the shared threads.
///
/// Nothing reports when these threads have nothing to do. But there is one for each processor and priority, and each takes
/// its jobs in order. So while as many jobs of a meeting run at the same time, no earlier job runs:
///
///     thread 1:  | earlier job | first, waits for the second
///     thread 2:  |     an earlier job, interrupted     | second, so both may end
///
/// There is one meeting at a time in the process, because two would each hold some of the threads, and wait for the
/// others. All callers that wait for the next one share it:
///
///     caller 1   meets ─┐
///     caller 2      waits, meets ─┐
///     caller 3        waits ──────┘
private final class Meetings: @unchecked Sendable {
  // Unchecked, because the condition's lock guards the numbers.

  static let shared = Meetings()

  private let condition = NSCondition()
  private var begun = 0
  private var ended = 0

  /// - Returns: whether a meeting that began after this call has ended in time.
  func waitForNext(atMost seconds: Double) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    condition.lock()
    defer { condition.unlock() }
    let next = begun + 1
    while ended < next {
      if begun > ended {
        guard condition.wait(until: end) else { return false }
        continue
      }
      begun += 1
      condition.unlock()
      let haveMet = Self.meet(until: end)
      condition.lock()
      if haveMet { ended = begun } else { begun = ended }  // others may have more patience
      condition.broadcast()
      if !haveMet { return false }
    }
    return true
  }

  private static func meet(until end: Date) -> Bool {
    [TaskPriority.high, .medium, .low].allSatisfy { priority in
      let size = widthOfSharedThreads
      let (arrivals, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      @Sendable func attend() {
        arrivals.signal()
        mayLeave.wait()
      }
      for _ in 1...size { Task.detached(priority: priority) { attend() } }
      defer { for _ in 1...size { mayLeave.signal() } }
      let deadline = DispatchTime.now() + end.timeIntervalSinceNow
      return (1...size).allSatisfy { _ in arrivals.wait(timeout: deadline) == .success }
    }
  }
}
