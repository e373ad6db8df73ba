import Foundation

/// A thread that keeps its run loop running, and an executor for actors that are to live on it.
///
/// ```swift
/// let network = RunLoopThread(name: "network")
/// network.taskQueue.perform(when: .currentLoopEnded) { print(Thread.current.name ?? "") }
/// network.stop()
/// network.join()
/// ```
///
/// An actor runs on the thread if it says so:
///
/// ```swift
/// actor Store {
///   private let thread = RunLoopThread(name: "store")
///   nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
/// }
/// ```
///
/// Jobs run one after the other. But one that runs the loop nested lets others of its actor in, as an `await` does.
///
/// The loop runs in the default mode, and sleeps when there is nothing to do. A thread to which nobody refers any more stops as
/// by ``stop()``.
public final class RunLoopThread: SerialExecutor {
  /// A handle to the tasks of the thread's loop.
  public let taskQueue: RunLoopTaskQueue
  let residence: Residence
  /// How long to wait for the system to start a thread. A test has less.
  static let patience = TaskLocal(wrappedValue: DispatchTimeInterval.seconds(60))

  /// Starts a thread. Its loop is ready when this returns.
  ///
  /// - Important: A thread that does not start within a minute stops the program. On Linux a loop also takes file descriptors,
  ///   and without any left CoreFoundation ends the process; see <doc:FromThreadsAndAsyncCode>.
  /// - Parameters:
  ///   - name: the name of the thread. (Linux shows the first 15 bytes of it to debuggers.)
  ///   - qualityOfService: how the system treats its work, on Apple's platforms.
  ///   - stackSize: the size of its stack in bytes, or `nil` for the system's default. Zero or less stops the program.
  public init(name: String, qualityOfService: QualityOfService = .default, stackSize: Int? = nil) {
    if let stackSize, stackSize <= 0 {
      fatalError(
        "RunLoopThread needs a stack: pass a size above zero, not \(stackSize), or nil for the system's default")
    }
    let residence = Residence()
    self.residence = residence
    let queue = Locked<RunLoopTaskQueue?>(nil)
    let (hasStarted, isReady) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thread = Thread {
      hasStarted.wait()  // on Linux `start` sets a name of its own, at any time before it returns
      Thread.current.name = threadName(name)
      let current = RunLoop.current.taskQueue
      queue.withLock { $0 = current }
      residence.live { isReady.signal() }
    }
    thread.qualityOfService = qualityOfService
    if let stackSize { thread.stackSize = stackSize }
    thread.start()
    hasStarted.signal()
    guard isReady.wait(timeout: .now() + Self.patience.get()) == .success else {
      fatalError("RunLoopThread could not start a thread within a minute; the process may have too many")
    }
    taskQueue = queue.withLock { $0! }
  }

  deinit { stop() }

  /// Ends the thread after the pass under way, from any thread. A second call does nothing.
  ///
  /// Jobs of actors that were enqueued before still run; tasks that are then pending are cancelled. If a task or job runs the
  /// loop nested, that run is not cut short.
  public func stop() {
    residence.stop()
    taskQueue.scheduler.attachment.withLock { $0.wake() }
  }

  /// Waits until the thread has ended: no task, job or source of it runs any more, and what was pending is cancelled.
  ///
  /// It does not stop the thread. If a task ends that, by `Thread.exit()`, this returns as well; see
  /// <doc:FromThreadsAndAsyncCode>.
  ///
  /// - Important: Called on the thread itself, it stops the program.
  public func join() {
    guard !residence.isCurrent else {
      fatalError(
        "RunLoopThread.join() was called on the thread itself, which would wait for ever; call it on another one")
    }
    residence.hasEnded.wait()
  }

  // MARK: Executor

  /// Runs a job of an actor on the thread; the concurrency runtime calls this.
  ///
  /// - Important: After ``stop()`` it stops the program, as whoever awaits the job would wait for ever.
  /// - Parameter job: the job.
  public func enqueue(_ job: consuming ExecutorJob) {
    guard residence.enqueue(Residence.Job(job: UnownedJob(job), executor: self)) else {
      fatalError(
        """
        An actor's job was enqueued on a RunLoopThread that was stopped, and could never run; stop the thread only when \
        no actor uses it any more
        """)
    }
  }

  /// The executor for an actor's `unownedExecutor`. The actor must keep the thread alive.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// Makes `assumeIsolated` hold for actors on this thread, and stops the program anywhere else.
  public func checkIsolated() {
    guard residence.isCurrent else {
      fatalError("Code that assumes the isolation of an actor on a RunLoopThread was called on another thread")
    }
  }
}
