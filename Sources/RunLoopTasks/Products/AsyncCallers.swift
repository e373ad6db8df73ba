import Synchronization

/// Counts the callers that wait for a loop and were resumed, until they go on.
///
/// A resumed caller comes over the threads that Swift's async code shares, and from there to its actor:
///
///     the loop         a task ends the wait: + 1                                 ─ serves the job: - 1, the caller goes on
///     shared thread                             └ a job, which ends with the hop ┘
///
/// `RunLoop.advance(by:)` therefore knows that a caller is on its way, however long that takes.
struct AsyncCallers: ~Copyable, Sendable {
  /// Those that wait on the loop's own thread.
  private let own = Atomic(0)
  private let others = Atomic(0)
  private let count = Atomic(0)
  private let begun = Atomic(0)
  private let advances = Atomic(0)

  /// How often async code of the loop has gone on: callers that were resumed or have gone on, and jobs.
  var steps: Int { count.load(ordering: .relaxed) }

  /// Whether callers are on their way.
  ///
  /// - Parameter own: whether to count those that wait on the loop's own thread, too.
  func areOnTheirWay(own includesOwn: Bool) -> Bool {
    others.load(ordering: .acquiring) > 0 || includesOwn && own.load(ordering: .acquiring) > 0
  }

  /// A call of `advance(by:)` is under way.
  var isAdvancing: Bool { advances.load(ordering: .acquiring) > 0 }

  /// How often a caller has begun to wait.
  var waits: Int { begun.load(ordering: .acquiring) }

  func noteWait() { begun.add(1, ordering: .releasing) }
  func noteResumed(isOwn: Bool) { add(1, isOwn: isOwn) }
  func noteGoneOn(isOwn: Bool) { add(-1, isOwn: isOwn) }
  func noteJobs(_ number: Int) { count.add(number, ordering: .relaxed) }

  func beginAdvance() { advances.add(1, ordering: .releasing) }
  func endAdvance() { advances.subtract(1, ordering: .releasing) }

  private func add(_ number: Int, isOwn: Bool) {
    count.add(1, ordering: .relaxed)
    if isOwn { own.add(number, ordering: .releasing) } else { others.add(number, ordering: .releasing) }
  }
}
