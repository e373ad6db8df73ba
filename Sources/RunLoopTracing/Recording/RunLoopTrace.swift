import Foundation
import RunLoopTasks

/// A recording of what a run loop does.
///
/// ```swift
/// let trace = RunLoop.main.trace()
/// // … the app runs …
/// try trace.write(to: URL(filePath: "/tmp/main.json"))
/// ```
///
/// Its times are microseconds since the machine has started, without those in which it slept.
///
/// `trace(name:capacity:)` begins it. It ends with ``stop()``, when you release it, or with its loop. You may then
/// still write it, unless you have released it.
public final class RunLoopTrace: Sendable {
  private let recorder: TraceRecorder
  private let watch: ActivityWatch

  init(_ recorder: TraceRecorder, of queue: RunLoopTaskQueue) {
    self.recorder = recorder
    watch = ActivityWatch(queue, for: recorder)
  }

  /// Ends the recording. You can call it on any thread.
  ///
  /// What is under way then, such as a task or a run, ends in the recording at this moment.
  ///
  /// - Complexity: O(modes of the loop).
  public func stop() {
    recorder.end()
    watch.end()
  }

  deinit { stop() }

  /// Writes the recording to a file, which [Perfetto](https://ui.perfetto.dev) opens.
  ///
  /// You can call it on any thread, also while the recording goes on: the file has what was recorded so far.
  ///
  /// - Parameter url: the file. One that exists is replaced, unless the recording cannot be written whole.
  /// - Throws: Foundation's error if the file cannot be written.
  /// - Complexity: O(events). The loop is held up while they are copied: some milliseconds for 100,000.
  public func write(to url: URL) throws { try Self.write([self], to: url) }

  /// Writes recordings to one file, with a row for each.
  ///
  /// An arrow leads from a task, a batch of a source or a job to each task that it has posted to another loop of the
  /// file.
  ///
  /// ```swift
  /// func write(_ mainTrace: RunLoopTrace, _ workerTrace: RunLoopTrace) throws {
  ///   try RunLoopTrace.write([mainTrace, workerTrace], to: url)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - traces: the recordings, of any loops of this process. Rows are in their order.
  ///   - url: the file. One that exists is replaced, unless the recordings cannot be written whole.
  /// - Throws: Foundation's error if the file cannot be written.
  public static func write(_ traces: [RunLoopTrace], to url: URL) throws {
    // In a file beside it, which then takes its name. So a disk that is full spoils no file that was there.
    try TraceFile(traces.map(\.recorder)).text.write(to: url, atomically: true, encoding: .utf8)
  }
}

extension RunLoop {
  /// Records what the loop does, from now on.
  ///
  /// The recording has the loop's runs, passes, phases and sleeps, and in these each task with the file and line that
  /// scheduled it, batches of sources and jobs. Write it to a file with ``RunLoopTrace/write(to:)`` and open that file
  /// with [Perfetto](https://ui.perfetto.dev), `chrome://tracing` or speedscope.
  ///
  /// ```swift
  /// let trace = RunLoop.current.trace(name: "worker")
  /// ```
  ///
  /// What runs when is the same as without a recording. In a batch, a recorded task costs about half a microsecond
  /// more. One that has a pass to itself costs 5 to 20 microseconds more, because each activity of the pass is
  /// recorded. On Apple's platforms (not tried yet), each task is also an interval of the subsystem `RunLoopTasks` in
  /// Instruments.
  ///
  /// A custom mode that the loop has never used is seen from the next activity in a known mode on. Runs in it before
  /// that are missing, so schedule a task for the mode first if they must be seen.
  ///
  /// > Warning: On Linux with an async main and without `RunLoopMain`, nobody runs the main loop. A recording of it that
  /// > begins before the first `await` stays empty, and after that the call traps.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps, and so does a capacity of zero or
  ///   less. The recording ends when you release the result, so keep it.
  /// - Parameters:
  ///   - name: the name of the row. If `nil`, it is the thread's name, "main", or "thread" if it has none.
  ///   - capacity: how many events the recording keeps, more than zero. A task is two, its beginning and its end, and
  ///     so is each run, pass, part of a pass and sleep. When there are more, the oldest passes go, and then the oldest
  ///     tasks of the pass under way.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: the recording.
  public func trace(
    name: String? = nil, capacity: Int = 100_000, fileID: StaticString = #fileID, line: UInt = #line
  ) -> RunLoopTrace {
    let call = Call("RunLoop.trace(name:capacity:)", fileID, line)
    if capacity <= 0 { call.stop("needs a capacity of more than zero events, not \(capacity)") }
    let queue = ownQueue(for: call)
    return RunLoopTrace(
      TraceRecorder(name: name ?? nameOfThread, capacity: capacity, of: queue, in: currentMode), of: queue)
  }

  /// The name of the current thread, whose loop this is.
  var nameOfThread: String {
    if self === RunLoop.main { return "main" }
    let name = Thread.current.name ?? ""
    return name.isEmpty ? "thread" : name
  }
}
