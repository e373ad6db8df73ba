import Foundation

@testable import RunLoopTasks

/// Performs scripts, each on a thread of its own.
final class Driver {
  /// Stands in for all other threads.
  private let other = LoopThread()

  deinit { other.end() }

  /// Performs a script.
  ///
  /// - Parameter patience: for how long a loop may do nothing before it is taken to sleep. No run has a reason to.
  func perform(
    _ script: Script, patience: DispatchTimeInterval = .seconds(30)
  ) -> (trace: [Event], complaint: Complaint?) {
    let jobThread = script.hasJobs ? RunLoopThread(name: "script") : nil
    let execution = Execution(script, other: other, jobThread: jobThread)
    let isDone = DispatchSemaphore(value: 0)
    jobThread?.taskQueue.perform { execution.perform() }
    let thread = JoinableThread {
      if let jobThread { jobThread.join() } else { execution.perform() }
      isDone.signal()
    }
    let deadline = DispatchTime.now() + watchdog
    var lastProgress = -1
    while isDone.wait(timeout: .now() + patience) == .timedOut {
      let progress = execution.progress.value
      if progress == lastProgress, execution.watch.isSleeping { execution.watch.breakSleep() }
      lastProgress = progress
      if DispatchTime.now() > deadline { fatalError("watchdog: this script did not come to its end\n\(script)") }
    }
    thread.join()
    execution.conclude()
    return (execution.trace, execution.complaint)
  }
}
