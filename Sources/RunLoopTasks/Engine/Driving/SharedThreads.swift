import Foundation

/// The threads that Swift's async code shares, as one `advance(by:)` waits for them.
///
/// A call through `any Clock` leaves its actor for these threads, and comes back with a job of its own.
struct SharedThreads {
  /// The seconds for which it may still be waited.
  var patience: Double
  /// Other code has blocked them.
  private(set) var areBlocked = false

  /// Waits until the jobs that are under way on these threads are over.
  ///
  /// Nothing reports when the threads have nothing to do. But there is one for each processor and priority, and each
  /// takes its jobs in order. So while as many jobs of this function run at the same time, no earlier job runs:
  ///
  ///     thread 1:  | earlier job | first, waits for the second
  ///     thread 2:  |     an earlier job, interrupted     | second, so both may end
  ///
  /// A job may enqueue a further one behind these, as `Task.yield()` does twice before its code is back, so they meet
  /// several times.
  ///
  /// Only one caller in the process does so at a time. Two would each hold some of the threads, and wait for the others.
  ///
  /// If other code blocks threads, perhaps because it waits for the caller, this gives up, and does not wait again.
  mutating func letJobsEnd() {
    let priorities = [TaskPriority.high, .medium, .low]
    for priority in priorities.flatMap({ Array(repeating: $0, count: Self.jobsOnTheWayBack) }) where patience > 0 {
      let start = ContinuousClock.now
      areBlocked = !Self.meet(priority, for: patience)
      patience = areBlocked ? 0 : patience - (ContinuousClock.now - start) / .seconds(1)
    }
  }

  private static let turn = NSLock()
  /// More than were seen.
  private static let jobsOnTheWayBack = 4

  /// - Returns: whether all jobs have begun.
  private static func meet(_ priority: TaskPriority, for seconds: Double) -> Bool {
    guard turn.lock(before: Date(timeIntervalSinceNow: seconds)) else { return false }
    defer { turn.unlock() }
    let (size, end) = (ProcessInfo.processInfo.activeProcessorCount, DispatchTime.now() + seconds)
    let (arrivals, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    @Sendable func meet() {
      arrivals.signal()
      mayLeave.wait()
    }
    for _ in 1...size { Task.detached(priority: priority) { meet() } }
    defer { for _ in 1...size { mayLeave.signal() } }
    return (1...size).allSatisfy { _ in arrivals.wait(timeout: end) == .success }
  }
}
