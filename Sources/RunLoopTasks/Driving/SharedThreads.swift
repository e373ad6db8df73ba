import Foundation
import Synchronization

/// The threads that Swift's async code shares.
///
/// A call through `any Clock` leaves its actor for these threads, and comes back with a job of its own.
enum SharedThreads {
  /// Waits until the jobs that are under way on these threads are over.
  ///
  /// Nothing reports when the threads have nothing to do. But there is one for each processor and priority, and each takes
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

  /// - Returns: whether all jobs have begun.
  private static func meet(_ priority: TaskPriority) -> Bool {
    let meeting = Meeting(of: ProcessInfo.processInfo.activeProcessorCount)
    for _ in 1...meeting.size { Task.detached(priority: priority) { meeting.join() } }
    return meeting.waitForAll()
  }

  private final class Meeting: Sendable {
    let size: Int
    private let present = Atomic(0)
    private let isComplete = DispatchSemaphore(value: 0)
    private let haveLeft = DispatchSemaphore(value: 0)

    init(of size: Int) { self.size = size }

    func join() {
      if present.add(1, ordering: .relaxed).newValue == size { for _ in 1...size { isComplete.signal() } }
      _ = isComplete.wait(timeout: .now() + .milliseconds(500))
      haveLeft.signal()
    }

    func waitForAll() -> Bool { (1...size).allSatisfy { _ in haveLeft.wait(timeout: .now() + 10) == .success } }
  }
}
