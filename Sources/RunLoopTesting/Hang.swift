#if canImport(Testing)
  import Foundation
  import RunLoopTasks

  /// A loop whose thread does not come to the end of a test.
  struct Hang {
    /// How long it may take the thread to say what it does. A thread that sleeps in its loop needs some microseconds.
    private static let patience = 1.0
    private static let queue = DispatchQueue(label: "RunLoopTesting.hangs")

    let queue: RunLoopTaskQueue

    init(of queue: RunLoopTaskQueue) { self.queue = queue }

    /// Finds out what the loop waits for, and what is pending. Only the loop's own thread can list that.
    ///
    /// - Parameters:
    ///   - outsideRuns: calls a closure on that thread if the thread has nothing to do.
    ///   - insideRuns: what the thread does in the run that it hangs in, after its answer.
    ///   - report: called once, on any thread.
    func describe(
      outsideRuns: (@escaping @Sendable () -> Void) -> Void, insideRuns: @escaping @Sendable () -> Void,
      report: @escaping @Sendable (String) -> Void
    ) {
      let isAnswered = Locked(false)
      let answer: @Sendable (String) -> Void = { text in
        if !isAnswered.withLock({ exchange(&$0, with: true) }) { report(text) }
      }
      let (queue, run) = (queue, queue.activeRun)
      let place = run.map { "in the \($0.mode == .default ? "default mode" : "mode \"\($0.mode.rawValue)\"")" }
      if let run, let place {
        queue.interrupt(in: run.mode) {
          answer("its loop \(run.isSleeping ? "sleeps" : "runs") \(place). \(pending(in: queue))")
          insideRuns()
        }
      } else {
        outsideRuns { answer("it awaits something, outside any run of its loop. \(pending(in: queue))") }
      }
      Self.queue.asyncAfter(deadline: .now() + Self.patience) {
        let whereabouts = place.map { "in a run of its loop \($0)" } ?? "outside any run of its loop"
        answer("its code does not return, \(whereabouts). \(pending(in: queue))")
      }
    }
  }

  /// What is pending: a list on the loop's own thread, and only the number elsewhere.
  private func pending(in queue: RunLoopTaskQueue) -> String {
    let lines = queue.debugDescription.split(separator: "\n")
    let list = lines.count > 1 ? ":\n" + lines.dropFirst().joined(separator: "\n") : ""
    return queue.count == 0 ? "No task is pending" : "Pending tasks: \(queue.count)\(list)"
  }
#endif
