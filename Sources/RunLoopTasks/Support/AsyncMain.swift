import Foundation

// On Linux, Dispatch takes over the main thread of a program whose `main` is `async`, and the main run loop never runs.

private let remedy = "use a main that is not async, or a RunLoopThread"

/// The end of a message about a call on the main actor when it is not on the main loop's thread.
let asyncMainCause = """
  was called on the main actor, which is not on the main loop's thread: on Linux an async main gives its thread to Dispatch, and \
  the main run loop never runs; \(remedy)
  """

/// Says on standard error why a task of the main loop was dropped, whose thread has ended. Only the first call in a
/// process has an effect.
func reportDroppedMainTask() { _ = report }

private let report: Void = {
  guard asyncMainEndsMainThread else { return }
  let text = """
    RunLoopTasks: a task of the main run loop was dropped, because that loop never runs: Dispatch has taken over the \
    main thread, as in any program with an async main on Linux; \(remedy)

    """
  _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
}()
