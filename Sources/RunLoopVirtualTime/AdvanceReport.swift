import RunLoopTasks

/// What a call of `RunLoop.advance(by:)` that has given up says.
package struct AdvanceReport: Sendable {
  /// What the call waited for in vain, and at which date: one line, without the place of the call.
  package let message: String
  /// The place of the call.
  package let fileID: StaticString
  package let line: UInt

  /// Called for each report, behind the line on standard error, by the thread that calls `advance(by:)`, before that
  /// returns. It may run any code but the loop.
  package static func setHandler(_ handler: @escaping @Sendable (AdvanceReport) -> Void) {
    self.handler.withLock { $0 = Handler(call: handler) }
  }

  /// In a structure of its own, because a bare closure would get one more layer with each access through the generic
  /// `Locked`, until a call overflows the stack.
  private struct Handler { let call: @Sendable (AdvanceReport) -> Void }
  private static let handler = Locked<Handler?>(nil)

  init(_ message: String, of call: Call) { (self.message, fileID, line) = (message, call.fileID, call.line) }

  /// Says that a call was made where async code of the loop cannot go on. Only the first call in a process has an
  /// effect.
  static func reportCallInJob(_ call: Call) {
    callInJob.write(
      """
      \(place(of: call)) is called in a block of the main queue or in a job of an actor, where async code of this loop that waits cannot go \
      on; call it in a task of the loop: try await queue.run { RunLoop.current.advance(by: …) }, or in a test that is \
      neither async nor on the main actor
      """)
  }

  private static let callInJob = Notice()

  /// Says that the jobs of async code are not seen. Only the first call in a process has an effect.
  static func reportUnseenJobs(because reason: String) {
    unseenJobs.write(
      "RunLoop.advance(by:) waits for async code at each date, and may miss long chains of it, because \(reason)")
  }

  private static let unseenJobs = Notice()

  /// Says that jobs still come that may be the caller's. Only the first call in a process has an effect: they may as well
  /// be another test's, so they are no issue of this one.
  static func reportJobsOfUnknownOwner(after rounds: Int, _ call: Call) {
    jobsOfUnknownOwner.write(
      """
      \(place(of: call)) waits no longer for async code that was started outside any test, by a thread or a block of Dispatch, and whose \
      jobs still come after \(rounds) rounds
      """)
  }

  private static let jobsOfUnknownOwner = Notice()

  /// Says that what runs on a busy thread is not awaited. Only the first call in a process has an effect.
  static func reportBusyThread() {
    busyThread.write("RunLoop.advance(by:) waits no longer for a thread of async code that has been busy for a second")
  }

  private static let busyThread = Notice()

  private static func place(of call: Call) -> String { "RunLoop.advance(by:) at \(call.fileID):\(call.line)" }

  func send() {
    writeToStandardError("RunLoopTasks: RunLoop.advance(by:) at \(fileID):\(line) \(message)\n")
    Self.handler.withLock { $0 }?.call(self)
  }
}
