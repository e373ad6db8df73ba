import RunLoopTasks

/// What a call of `RunLoop.advance(by:)` that has given up says, or one that waits no longer for something.
package struct AdvanceReport: Sendable {
  /// What the call waited for in vain, and at which date: one line, without the place of the call.
  package let message: String
  /// The place of the call.
  package let fileID: StaticString
  package let line: UInt

  /// Called for each report of a call that gives up, behind the line on standard error, by the thread that calls
  /// `advance(by:)`, before that returns. It may run any code but the loop.
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
      \(place(call.fileID, call.line)) is called in a block of the main queue or in a job of an actor, where async code \
      of this loop that waits cannot go on; call it in withMainRunLoop, in a task of a loop, as in try await queue.run { RunLoop.current.advance(by: …) }, or, \
      with XCTest, in a test that is not async
      """)
  }

  private static let callInJob = Notice()

  /// Says that the jobs of async code are not seen. Only the first call in a process has an effect.
  static func reportUnseenJobs(because reason: String) {
    unseenJobs.write(
      """
      RunLoop.advance(by:) waits for async code at each date, and may miss long chains of it, because \(reason); link \
      tests to the dynamic runtime, and set no such hook
      """
    )
  }

  private static let unseenJobs = Notice()

  private static func place(_ fileID: StaticString, _ line: UInt) -> String {
    "RunLoop.advance(by:) at \(fileID):\(line)"
  }

  /// Writes the line, and nothing more: what the call no longer waits for may as well be another test's.
  func write() { writeToStandardError("RunLoopTasks: \(Self.place(fileID, line)) \(message)\n") }

  func send() {
    write()
    Self.handler.withLock { $0 }?.call(self)
  }
}
