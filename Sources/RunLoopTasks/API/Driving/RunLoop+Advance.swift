import Foundation

extension RunLoop {
  /// Advances the loop's task clock without waiting.
  ///
  /// The delays, limits and intervals that end within this time end in order, with a pass for each date. One more pass
  /// follows. A test of delayed code therefore waits for nothing:
  ///
  /// ```swift
  /// field.type("swift")  // searches 300 ms after the last letter
  /// #expect(!RunLoop.current.advance(by: .milliseconds(200)))
  /// #expect(RunLoop.current.advance(by: .milliseconds(100)))
  /// ```
  ///
  /// Foundation's timers and dates do not change. The task clock stands still during these passes and runs on from its
  /// new time afterwards. Leave room between the dates of a test for the time that the test itself takes. The clock
  /// also runs on while a nested run sleeps, but not in one that only polls.
  ///
  /// Async code gets as far as it can before each date and at the end: while passes find blocks of the main queue, or
  /// jobs of the ``RunLoopThread`` whose loop this is, more passes follow, a thousand at most. So code that sleeps on
  /// ``RunLoopTaskQueue/clock`` also advances: [Async code](doc:Testing#Async-code). One pass precedes the first date if
  /// async code waits for a task that is in line, and on the main loop, where only a pass can find such blocks; there one
  /// more follows each date.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps, and in async code it doesn't compile.
  ///   `.common`, in which no loop runs, also traps, and so does a negative duration.
  /// - Parameters:
  ///   - duration: the time to advance the clock by. The clock stops at its latest date, after 292 years.
  ///   - mode: the mode in which the passes run.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: whether any task ran.
  @discardableResult
  @available(*, noasync, message: "Let the loop do it: `try await queue.run { RunLoop.current.advance(by: …) }`")
  public func advance(
    by duration: Duration, mode: RunLoop.Mode = .default, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Bool {
    let scheduler = driver(in: mode, "RunLoop.advance(by:mode:)", fileID, line)
    guard duration >= .zero else {
      fatalError(
        "RunLoop.advance(by:mode:) needs a duration of zero or more, not \(duration): time does not go back",
        file: fileID, line: line)
    }
    return scheduler.advance(by: duration, in: mode)
  }
}
