/// The call site, shown in descriptions and trap messages.
package struct Call {
  let function: StaticString
  package let fileID: StaticString
  package let line: UInt

  package init(_ function: StaticString, _ fileID: StaticString, _ line: UInt) {
    (self.function, self.fileID, self.line) = (function, fileID, line)
  }

  /// Stops the program.
  ///
  /// - Parameter mistake: what is wrong with the call, after its name.
  package func stop(_ mistake: String) -> Never { fatalError("\(function) \(mistake)", file: fileID, line: line) }

  /// Stops the program, because the call was not made on the loop's own thread.
  ///
  /// - Parameter remedy: what to write there.
  func stopElsewhere(_ remedy: String) -> Never {
    if isMainActorElsewhere {
      reportLostMainLoop()
      stop("must be called on the loop's own thread, and nothing runs the main loop: import RunLoopMain")
    }
    stop("must be called on the loop's own thread; from another thread let the loop do it, \(remedy)")
  }

  static let callElsewhere =
    """
    as in try queue.performAndWait { RunLoop.current… }, try await queue.run { RunLoop.current… } or, in a test, \
    withMainRunLoop { … }, \(whereQueueIs)
    """
  static let performElsewhere =
    "as in MainActor.perform(when: .currentLoopEnded) { … } or queue.perform { … }, \(whereQueueIs)"
  static let whereQueueIs = "where queue is RunLoopTaskQueue.main or the taskQueue of a RunLoopThread"
}
