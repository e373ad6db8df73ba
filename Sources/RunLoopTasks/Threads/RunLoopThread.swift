import Foundation

/// A thread that keeps its run loop running, and an executor for actors and other async code that runs on it.
///
/// ```swift
/// let network = RunLoopThread(name: "network")
/// network.taskQueue.perform(when: .currentLoopEnded) {
///   print(Thread.current.name ?? "")
/// }
/// network.stop()
/// network.join()
/// ```
///
/// ## Actors and other async code
///
/// An actor runs on the thread if its `unownedExecutor` is the thread's:
///
/// ```swift
/// actor Store {
///   private let thread = RunLoopThread(name: "store")
///   nonisolated var unownedExecutor: UnownedSerialExecutor {
///     thread.asUnownedSerialExecutor()
///   }
/// }
/// ```
///
/// Other async code runs on the thread if it prefers the thread as its task executor:
///
/// ```swift
/// let decoder = RunLoopThread(name: "decoder")
/// let rows = await withTaskExecutorPreference(decoder) {
///   await load()
/// }
/// ```
///
/// ## Jobs
///
/// Jobs, the parts of async code between two `await`s, run one after the other, in the order in which they come, and
/// never inside one another. A ``RunLoopTaskQueue/budget`` doesn't count for them: all that wait run in one go, so many
/// of them hold up tasks and timers. If a job runs the loop nested, the nested run serves tasks, timers and sources,
/// and the other jobs wait until the job has returned, as blocks of the main queue do. Don't wait in a nested run for
/// another job: it cannot begin. The thread's own source keeps each run in the common modes alive. So Foundation's
/// `run(mode:before:)` sleeps until its date, or until a source was served, even if nothing else is in the mode.
///
/// ## When it ends
///
/// The loop runs in the default mode and sleeps when there is nothing to do. The thread stops when the last reference to
/// it, or to a queue or clock from its ``taskQueue``, goes away: as by `stop()`, which cancels delayed tasks. One line on
/// standard error says so if there are any, once a process. What was sent before runs, as on a `DispatchQueue`:
///
/// ```swift
/// RunLoopThread(name: "cleanup").taskQueue.perform { cache.trim() }
/// ```
///
/// A pending task or a source whose closure captures such a queue keeps the thread alive. In a closure that stays, use
/// `RunLoop.current.taskQueue`, which doesn't.
public final class RunLoopThread: Sendable {
  let core: Core

  /// Starts a thread. Its loop is ready when this returns.
  ///
  /// - Important: A thread that does not start within a minute traps. On Linux a loop also takes file
  ///   descriptors, and without any left CoreFoundation ends the process; see <doc:Limitations#Failures>.
  /// - Parameters:
  ///   - name: the name of the thread. On Linux it is cut to 15 bytes, also in recordings and messages.
  ///   - qualityOfService: the quality of service of the thread. It has an effect on Apple's platforms only.
  ///   - stackSize: the size of its stack in bytes, or `nil` for the system's default. It is rounded up to a multiple
  ///     of 64 KiB. Zero or less traps.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  public init(
    name: String, qualityOfService: QualityOfService = .default, stackSize: Int? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    let call = Call("RunLoopThread", fileID, line)
    if let stackSize, stackSize <= 0 {
      call.stop("needs a stack: pass a size above zero, not \(stackSize), or nil for the system's default")
    }
    let made = Locked<Core?>(nil)
    let (hasStarted, isReady) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thread = Thread {
      hasStarted.wait()  // on Linux `start` sets a name of its own, at any time before it returns
      Thread.current.name = threadName(name)
      let core = Core()
      made.withLock { $0 = core }
      core.run {
        isReady.signal()
        setQualityOfService(qualityOfService)
      }
    }
    thread.qualityOfService = startingQualityOfService(for: qualityOfService)
    if let stackSize {
      // A multiple of every page size, and the smallest stack with which a thread starts on every platform.
      let unit = 65_536
      thread.stackSize = (min(stackSize, .max - unit) + unit - 1) / unit * unit
    }
    thread.start()
    hasStarted.signal()
    // Many short waits, because the clock also runs while a debugger stops the process.
    guard (1...60).contains(where: { _ in isReady.wait(timeout: .now() + 1) == .success }) else {
      call.stop("could not start a thread within a minute; the process may have too many")
    }
    core = made.withLock { $0! }
  }

  deinit { core.abandon() }

  /// A handle to the tasks of the thread's loop, which keeps the thread running as long as you hold it.
  ///
  /// `RunLoop.current.taskQueue` on the thread itself is equal to it until the loop has ended, and does not keep the
  /// thread.
  public var taskQueue: RunLoopTaskQueue { RunLoopTaskQueue(scheduler: core.scheduler, thread: self) }

  /// Ends the thread's loop once it has done what was sent before, from any thread.
  ///
  /// What the thread has accepted is done, together with what that asks for: tasks in line, commands of sources and
  /// jobs of actors. What waits for a delay is cancelled. With `runningDelayedTasks: true` it runs as well, so every
  /// debounced save is made:
  ///
  /// <!-- prints: saved -->
  /// ```swift
  /// let editor = RunLoopThread(name: "editor")
  /// editor.taskQueue.perform(after: .seconds(2), coalescedBy: "save") {
  ///   print("saved")
  /// }
  /// editor.stop(runningDelayedTasks: true)
  /// editor.join()
  /// ```
  ///
  /// The call returns at once; ``join(fileID:line:)`` waits for the end. What async code awaits with a delay, such as a
  /// sleep on a clock, doesn't run and throws `CancellationError`.
  ///
  /// After the pass in progress the thread drains its loop, outside any run and in rounds. In each round:
  ///
  /// 1. Every task in line whose modes include `.default` or `.common` runs, whatever its timing and without a
  ///    ``RunLoopTaskQueue/budget``.
  /// 2. Every ``RunLoopSource`` in these modes delivers its commands.
  /// 3. The jobs of the thread's actors that are there run.
  ///
  /// After the first round, other threads can no longer send: their commands are refused, and their tasks are cancelled
  /// at once. Code on the thread itself still can. Once a round has neither commands nor jobs, or after a hundred, the
  /// sources end, and the tasks run once more. Then the loop ends. That cancels tasks that still wait for a delay or an
  /// interval, and tasks in other modes. A task that always reschedules itself doesn't hold up the end: without
  /// commands and jobs, it runs three times in the drain, or four with delays that run as well, after the passes that are
  /// still under way. The drain serves no timers of Foundation and no other sources.
  ///
  /// Delayed tasks that run, too, follow those in line in each round, by their dates.
  ///
  /// To drop the tasks, cancel them first. Commands are dropped by ``RunLoopSource/invalidate()``, and jobs always run:
  ///
  /// ```swift
  /// let search = RunLoopThread(name: "search")
  /// search.taskQueue.perform { cache.prefetch() }
  /// search.taskQueue.cancelAll()
  /// search.stop()
  /// ```
  ///
  /// If a task or a job runs the loop nested, that run ends first. Actors can continue: once the loop has ended, the
  /// thread performs their jobs one after the other until the last reference to the `RunLoopThread` goes away.
  ///
  /// - Parameter runningDelayedTasks: whether tasks that wait for a delay or an interval run, too. If you call it more
  ///   than once before the drain begins, `true` wins. Otherwise further calls have no effect.
  public func stop(runningDelayedTasks: Bool = false) {
    core.stop(runningDelayedTasks ? .runningDelayedTasks : .plain)
  }

  /// Whether the thread is stopping: ``stop(runningDelayedTasks:)`` was called, or the last reference to the thread
  /// went away.
  ///
  /// You can read it on any thread. ``stop(runningDelayedTasks:)`` interrupts neither tasks nor nested runs, so let a
  /// long one check this:
  ///
  /// ```swift
  /// let indexer = RunLoopThread(name: "indexer")
  /// indexer.taskQueue.perform {
  ///   var files = 0
  ///   while files < 10_000, !indexer.isStopping { files += 1 }
  /// }
  /// indexer.stop()
  /// ```
  ///
  /// It stays `true` once the loop has ended.
  public var isStopping: Bool { core.isStopped }

  /// Waits until the thread's loop has ended. From then on, none of its tasks, timers and sources runs, and its pending
  /// tasks are cancelled.
  ///
  /// It doesn't stop the thread. In async code, write `await thread.join()`, which blocks no thread.
  ///
  /// ```swift
  /// let parser = RunLoopThread(name: "parser")
  /// parser.stop()
  /// parser.join()
  /// ```
  ///
  /// - Important: A call on the thread itself traps.
  /// - Parameters:
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  @available(*, noasync, message: "Use `await thread.join()` in an async function or closure, not at the top level")
  public func join(fileID: StaticString = #fileID, line: UInt = #line) {
    if core === Core.current {
      Call("RunLoopThread.join()", fileID, line)
        .stop("was called on the thread itself, which would wait forever; call it on another one")
    }
    core.loopEnd.wait()
  }

  /// Waits, without blocking a thread, until the thread's loop has ended.
  ///
  /// It doesn't stop the thread, and cancelling the surrounding `Task` doesn't end the wait. An actor of the thread may
  /// also call it. At the top level of a script, Swift finds
  /// only the other `join`, so call this one in a function or a closure there:
  ///
  /// ```swift
  /// let decoder = RunLoopThread(name: "decoder")
  /// Task {
  ///   decoder.stop()
  ///   await decoder.join()
  /// }
  /// ```
  public func join() async {
    await withCheckedContinuation { continuation in core.loopEnd.notify(queue: .global()) { continuation.resume() } }
  }
}
