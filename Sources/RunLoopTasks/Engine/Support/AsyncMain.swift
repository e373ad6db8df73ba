import Foundation

// On Linux, Dispatch takes over the main thread of a program whose `main` is `async`, and the main run loop never runs.
// The code of the main actor then runs on any thread, whose own loop nobody runs either. With `RunLoopMain` none of
// this is so.

/// Says on standard error that the main run loop never runs: a task of that loop was dropped, or code of the main actor
/// has used the loop of another thread. Only the first call in a process has an effect.
func reportLostMainLoop() { _ = report }

private let report: Void = {
  guard asyncMainEndsMainThread else { return }
  writeToStandardError(
    """
    RunLoopTasks: the main run loop never runs, so its tasks are dropped, and on the main actor RunLoop.current is the \
    loop of some other thread: Dispatch has taken over the main thread, as in any program with an async main on Linux; \
    import RunLoopMain, a product of this package, or use a main that is not async, or a RunLoopThread

    """)
}()
