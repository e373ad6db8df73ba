#if canImport(Testing)
  import Foundation
  import RunLoopTasks

  /// A loop whose thread does not come to the end of a test.
  struct Hang {
    /// How long it may take the thread to say what it does. A thread that sleeps in its loop needs some microseconds.
    private static let patience = 1.0

    let queue: RunLoopTaskQueue
    let loop: WatchedLoop
    let use: LoopUse

    /// Finds out what the loop waits for, and what is pending. Only the loop's own thread can list that.
    ///
    /// - Parameters:
    ///   - outsideRuns: calls a closure on that thread if the thread has nothing to do.
    ///   - report: called once, on any thread.
    func describe(
      outsideRuns: (@escaping @Sendable () -> Void) -> Void, report: @escaping @Sendable (String) -> Void
    ) {
      let isAnswered = Locked(false)
      let answer: @Sendable (String) -> Void = { text in
        if !isAnswered.withLock({ exchange(&$0, with: true) }) { report(text) }
      }
      let run = loop.run
      let place = run.map { "in the \($0.mode == .default ? "default mode" : "mode \"\($0.mode.rawValue)\"")" }
      if let run, let place {
        loop.interrupt(in: run.mode) {
          let advice =
            queue.count == 0
            ? "give the call that runs it a timeout"
            : "run it in the modes of its tasks, advance(by:) to their dates, or give the call that runs it a timeout"
          answer("its loop \(run.isSleeping ? "sleeps \(place); \(advice)" : "runs \(place)"). \(tasks)")
        }
      } else {
        outsideRuns {
          answer(
            """
            it awaits something, and nobody runs its loop meanwhile; if that is a task or a sleep of this loop, start it \
            in a Task, and drive the loop from code that is not async; if it is a RunLoopThread, that is busy or blocked, or \
            was not stopped before join(). \(tasks)
            """
          )
        }
      }
      TimeLimit.queue.asyncAfter(deadline: .now() + Self.patience) {
        let whereabouts = place.map { "in a run of its loop \($0)" } ?? "outside any run of its loop"
        answer("its code does not return, \(whereabouts). \(tasks)")
      }
    }

    /// What runs and what is pending: a list on the loop's own thread, and only the number elsewhere.
    private var tasks: String {
      let running = use.runningTask.map { "The task of \($0) runs. " } ?? ""
      let lines = queue.debugDescription.split(separator: "\n")
      let list = lines.count > 1 ? ":\n" + lines.dropFirst().joined(separator: "\n") : ""
      let count = queue.count
      let pending = count == 0 ? "No task is pending" : count == 1 ? "1 task is pending" : "\(count) tasks are pending"
      return running + pending + list
    }
  }
#endif
