import Foundation

extension RunLoopTaskQueue: CustomDebugStringConvertible {
  private static let longestList = 100
  private static let patience = DispatchTimeInterval.milliseconds(100)

  /// What is pending, a line a task: its timing, modes and key, and where it was scheduled.
  ///
  /// ```text
  /// RunLoopTaskQueue, 2 pending
  ///   currentLoopEnded in default, scheduled at App/ListView.swift:42
  ///   idle in common, coalesced by "save", scheduled at App/Document.swift:7
  /// ```
  ///
  /// The first hundred are listed. On the loop's own thread the list is in order and costs no wait. Other threads ask the loop
  /// for it, which may block them for a tenth of a second: if it does not answer by then, because it is busy or not being run,
  /// only those tasks are listed that it has not yet taken over from other threads.
  public var debugDescription: String {
    let scheduler = scheduler
    if scheduler.isCurrent {
      scheduler.readMail()
      return describe(scheduler.listPending())
    }
    let answer = Answer()
    let hasAsked = scheduler.ask { [weak answer] in answer?.give(scheduler.listPending()) }
    guard hasAsked else { return "RunLoopTaskQueue of a loop that has ended" }
    if let lines = answer.wait(Self.patience) { return describe(lines) }
    return describe(
      scheduler.listPosted(), note: ": the loop is busy or not being run, so its own thread's are not listed")
  }

  private func describe(_ lines: [String], note: String = "") -> String {
    let more = lines.count > Self.longestList ? ["and \(lines.count - Self.longestList) more"] : []
    let title = "RunLoopTaskQueue, \(count) pending\(note)"
    return ([title] + (lines.prefix(Self.longestList) + more).map { "  \($0)" }).joined(separator: "\n")
  }
}

/// What one thread waits for, and another one gives.
private final class Answer: Sendable {
  private let lines = Locked<[String]?>(nil)
  private let isGiven = DispatchSemaphore(value: 0)

  func give(_ new: [String]) {
    lines.withLock { $0 = new }
    isGiven.signal()
  }

  func wait(_ patience: DispatchTimeInterval) -> [String]? {
    _ = isGiven.wait(timeout: .now() + patience)
    return lines.withLock { $0 }
  }
}

extension Scheduler {
  /// On the loop's own thread: what is pending, in order.
  fileprivate func listPending() -> [String] {
    pendingTasks().filter { $0.state == .pending }.sorted { $0.order < $1.order }.map(\.listing)
  }

  /// On any thread: what the loop's own has not yet read.
  fileprivate func listPosted() -> [String] {
    attachment.withLock { $0.posts }.filter { $0.task.state == .pending }.map(\.listing)
  }
}
