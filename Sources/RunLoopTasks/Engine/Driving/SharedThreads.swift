import Foundation

/// The threads that Swift's async code shares, and meetings of jobs on them.
///
/// Nothing reports when these threads have nothing to do. But there is one for each processor and priority, and each
/// takes its jobs in order. So while as many jobs of a meeting run at the same time, no earlier job runs:
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
final class SharedThreads: @unchecked Sendable {
  // Unchecked, because the condition's lock guards the numbers.

  static let pool = SharedThreads()

  private let condition = NSCondition()
  private var begun = 0
  private var ended = 0

  /// Waits until the jobs that are under way on these threads are over.
  ///
  /// - Returns: whether they are over in time: whether a meeting that began after this call has ended.
  func letJobsEnd(atMost seconds: Double) -> Bool {
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
