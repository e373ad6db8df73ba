import Foundation
import RunLoopTasks

extension RunLoop {
  /// Advances the loop's task clock without waiting.
  ///
  /// First, a pass runs what is in line. Then the clock jumps to each date at which a delay, a limit or an interval
  /// ends, in order, with a pass for each, and to the end, with one more pass. A test of delayed code therefore waits
  /// for nothing:
  ///
  /// ```swift
  /// field.type("swift")  // searches 300 ms after the last letter
  /// #expect(!RunLoop.current.advance(by: .milliseconds(200)))
  /// #expect(RunLoop.current.advance(by: .milliseconds(100)))
  /// ```
  ///
  /// Foundation's timers and dates do not change. The task clock stands still during these passes and runs on from its
  /// new time afterwards. Leave room between the dates of a test for the time that the test itself takes, or let
  /// `RunLoopTesting` stop the clock. A running clock also runs on while a nested run sleeps, but not in one that only
  /// polls.
  ///
  /// Async code gets as far as it can before each date and at the end, whether it sleeps on `RunLoopTaskQueue.clock` or
  /// only posts to the loop. If it sleeps for a second again and again, an hour ends each of its 3,600
  /// sleeps, also on a busy machine. Two kinds of code may be
  /// missed: jobs of the priority `.background` on a machine without time for them, and code on another executor that
  /// has not slept on the clock yet. While passes find blocks of the main queue, or jobs of the `RunLoopThread` whose
  /// loop this is, more passes follow. On the main loop, where only a pass can find such blocks, there are at least two
  /// for each date.
  ///
  /// Such code comes back over threads that Swift shares, for which the call waits in real time, as long as jobs go on
  /// to come. If nothing goes on for half a second, or only other work of the process for ten, or after 2,500 passes or
  /// a thousand rounds of waiting at one date, the call gives up, and a line on standard error says so, `has waited in
  /// vain`. With `RunLoopTesting` that is an issue as well. A line `no longer waits`, of what may not belong to the test,
  /// is none: the article *Testing* of `RunLoopTasks` has more. Where no async code runs, nothing is waited for but, on
  /// the main loop, some tenths of a millisecond at each date.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. In async code it doesn't compile
  ///   (in Swift 5 mode, that is a warning).
  ///   `.common`, in which no loop runs, also traps, and so does a negative duration.
  /// - Parameters:
  ///   - duration: the time to advance the clock by. All calls together advance it by 100 years at most; what
  ///     is more has no effect.
  ///   - mode: the mode in which the passes run.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: whether any task ran.
  @discardableResult
  @available(*, noasync, message: "In a test, use withMainRunLoop; else `try await queue.run { RunLoop.current.… }`")
  public func advance(
    by duration: Duration, mode: RunLoop.Mode = .default, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Bool {
    let call = Call("RunLoop.advance(by:mode:)", fileID, line)
    let loop = stepped(in: mode, for: call)
    if duration < .zero { call.stop("needs a duration of zero or more, not \(duration): time does not go back") }
    return loop.advance(by: duration, call)
  }
}
