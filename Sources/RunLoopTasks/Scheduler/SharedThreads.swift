import Foundation
import Synchronization

/// The threads that Swift's async code shares.
///
/// A call through `any Clock` leaves its actor for these threads, and comes back with a job of its own.
enum SharedThreads {
  /// Waits until the jobs that are under way on these threads are over.
  ///
  /// Nobody tells when the threads have nothing to do. But there is one for each processor and priority, and each takes
  /// its jobs in order. So while as many jobs of this function run at the same time, no earlier job runs:
  ///
  ///     thread 1:  | earlier job | first, waits for the second
  ///     thread 2:  |     an earlier job, interrupted     | second, so both may end
  ///
  /// If other code blocks threads, perhaps because it waits for the caller, this soon gives up.
  static func letJobsEnd() {
    for priority in [TaskPriority.high, .medium, .low] {
      guard meet(priority) else { return }
    }
  }

  /// - Returns: whether all jobs have run, at the same time or not.
  private static func meet(_ priority: TaskPriority) -> Bool {
    let (count, isDone) = (ProcessInfo.processInfo.activeProcessorCount, DispatchSemaphore(value: 0))
    let meeting = Meeting()
    for _ in 1...count {
      Task.detached(priority: priority) {
        let limit = DispatchTime.now() + .milliseconds(50)
        meeting.present.add(1, ordering: .relaxed)
        while meeting.present.load(ordering: .relaxed) < count, DispatchTime.now() < limit { sched_yield() }
        isDone.signal()
      }
    }
    return (1...count).allSatisfy { _ in isDone.wait(timeout: .now() + 10) == .success }
  }

  private final class Meeting: Sendable {
    let present = Atomic(0)
  }
}
