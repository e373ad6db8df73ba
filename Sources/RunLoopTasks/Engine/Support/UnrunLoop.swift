import Foundation
import Synchronization

/// Says on standard error that a thread has ended with a pending task although its loop was never run, as a worker of
/// Dispatch or of Swift's pool does. Only the first call in a process has an effect.
func reportUnrunLoop(of task: RunLoopTask) {
  guard !hasReported.exchange(true, ordering: .relaxed) else { return }
  writeToStandardError(
    """
    RunLoopTasks: the task scheduled at \(task.origin) never ran, because its thread has ended without running its run \
    loop, as a thread of Dispatch or of Swift's pool does; schedule it with MainActor.perform(when:), or with the \
    taskQueue of a loop that runs, such as that of a RunLoopThread

    """)
}

private let hasReported = Atomic(false)

func writeToStandardError(_ text: String) { _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) } }
