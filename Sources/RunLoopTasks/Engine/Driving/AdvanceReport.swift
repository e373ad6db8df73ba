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

  func send() {
    writeToStandardError("RunLoopTasks: RunLoop.advance(by:) at \(fileID):\(line) \(message)\n")
    Self.handler.withLock { $0 }?(self)
  }
}
