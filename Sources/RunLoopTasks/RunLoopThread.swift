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
/// Jobs, the parts of async code between two `await`s, run one after the other, in the order in which they come, and never inside one another. If a job runs the loop
/// nested, the nested run serves tasks, timers and sources, and the other jobs wait until the job has returned. So
/// between two `await`s nothing else runs in an actor, as on the main queue, whose blocks wait in the same way. Do not
/// wait in a nested run for another job: it cannot begin.
///
/// The loop runs in the default mode and sleeps when there is nothing to do. The release of the last reference to the
/// thread has the effect of ``stop()``.
public final class RunLoopThread: Sendable {
  /// A handle to the tasks of the thread's loop.
  public let taskQueue: RunLoopTaskQueue
  let core: Core
  /// The number of seconds to wait for the system to start a thread. A test sets a smaller number.
  static let patience = TaskLocal(wrappedValue: 60)
  /// A multiple of every page size, and the smallest stack with which a thread starts on every platform.
  private static let stackUnit = 65_536

  /// Starts a thread. Its loop is ready when this returns.
  ///
  /// - Important: A thread that does not start within a minute stops the program. On Linux a loop also takes file
  ///   descriptors, and without any left CoreFoundation ends the process; see <doc:FromThreadsAndAsyncCode>.
  /// - Parameters:
  ///   - name: the name of the thread. (Linux shows the first 15 bytes of it to debuggers.)
  ///   - qualityOfService: the quality of service of the thread. It has an effect on Apple's platforms only.
  ///   - stackSize: the size of its stack in bytes, or `nil` for the system's default. It is rounded up to a multiple
  ///     of 64 KiB. Zero or less stops the program.
  public init(name: String, qualityOfService: QualityOfService = .default, stackSize: Int? = nil) {
    if let stackSize, stackSize <= 0 {
      fatalError(
        "RunLoopThread needs a stack: pass a size above zero, not \(stackSize), or nil for the system's default")
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
      let unit = Self.stackUnit
      thread.stackSize = (min(stackSize, .max - unit) + unit - 1) / unit * unit
    }
    thread.start()
    hasStarted.signal()
    // Many short waits, because the clock also runs while a debugger stops the process.
    var waits = Self.patience.get()
    while isReady.wait(timeout: .now() + 1) == .timedOut {
      waits -= 1
      if waits <= 0 {
        fatalError("RunLoopThread could not start a thread within a minute; the process may have too many")
      }
    }
    core = made.withLock { $0! }
    taskQueue = RunLoopTaskQueue(scheduler: core.scheduler)
  }

  deinit { core.abandon() }

  /// Ends the thread's loop after the pass in progress, from any thread. A second call has no effect.
  ///
  /// The end of the loop cancels the tasks that are pending then. If a task or a job runs the loop nested, that run
  /// ends first. Actors can continue: once the loop has ended, the thread performs their jobs one after the other, as
  /// long as any code refers to the `RunLoopThread`.
  public func stop() { core.stop() }

  /// Waits until the thread's loop has ended. Then none of its tasks, timers and sources runs any more, and its pending
  /// tasks are cancelled.
  ///
  /// It does not stop the thread. In async code use ``ended()``, which blocks no thread.
  ///
  /// ```swift
  /// let parser = RunLoopThread(name: "parser")
  /// parser.stop()
  /// parser.join()
  /// ```
  ///
  /// - Important: A call on the thread itself stops the program.
  @available(*, noasync, message: "Use `await thread.ended()` in async code")
  public func join() {
    guard core !== Core.current else {
      fatalError(
        "RunLoopThread.join() was called on the thread itself, which would wait forever; call it on another one")
    }
    core.waitForLoopEnd()
  }

  /// Waits, without blocking a thread, until the thread's loop has ended.
  ///
  /// It does not stop the thread. An actor of the thread may call it, too.
  public func ended() async { await core.loopHasEnded() }
}
