import Synchronization

/// What a call of `RunLoop.advance(by:)` that has given up says.
package struct AdvanceReport: Sendable {
  /// What the call waited for in vain, and at which date: one line, without the place of the call.
  package let message: String
  /// The place of the call.
  package let fileID: StaticString
  package let line: UInt

  /// Called for each report, behind the line on standard error, by the thread that calls `advance(by:)`, before that
  /// returns. It may run any code but the loop.
  package static let handler = Locked<(@Sendable (AdvanceReport) -> Void)?>(nil)

  init(_ message: String, of call: Call) { (self.message, fileID, line) = (message, call.fileID, call.line) }

  /// Says that a call was made where async code of the loop cannot go on. Only the first call in a process has an
  /// effect.
  static func reportCallInJob(_ call: Call) {
    guard !hasReportedCallInJob.exchange(true, ordering: .relaxed) else { return }
    AdvanceReport(
      """
      is called in a block of the main queue or in a job of an actor, where async code of this loop that waits cannot go \
      on; call it in a task of the loop: try await queue.run { RunLoop.current.advance(by: …) }, or in a test that is \
      neither async nor on the main actor
      """, of: call
    ).write()
  }

  private static let hasReportedCallInJob = Atomic(false)

  private func write() { writeToStandardError("RunLoopTasks: RunLoop.advance(by:) at \(fileID):\(line) \(message)\n") }

  func send() {
    write()
    Self.handler.withLock { $0 }?(self)
  }
}
