import Foundation

/// A `RunLoopThread` runs the jobs of actors and, as a task executor, those of nonisolated async code.
extension RunLoopThread: SerialExecutor, TaskExecutor {
  /// Runs a job of an actor on the thread; the concurrency runtime calls this.
  ///
  /// - Parameter job: the job.
  /// - Complexity: O(1) on average, however many jobs wait.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    core.enqueue(on: self) { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  // `SerialExecutor` and `TaskExecutor` both require `enqueue(_:)`, and a job does not say for which of them it comes.
  // A job that ran as both would have to come again at each call of an actor on the same thread, or of a nonisolated
  // function. Only this attribute gives the second protocol a method of its own.
  /// Runs a job of nonisolated async code on the thread; the concurrency runtime calls this.
  ///
  /// - Parameter job: the job.
  /// - Complexity: O(1) on average, however many jobs wait.
  @_implements(TaskExecutor,enqueue(_:))
  public func enqueueNonisolated(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    core.enqueue(on: self) { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// The executor for an actor's `unownedExecutor`. The actor must keep the `RunLoopThread` alive.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// Whether the calling code runs on the thread, and so in the isolation of its actors.
  ///
  /// The concurrency runtime asks this before it calls ``checkIsolated()``.
  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  public func isIsolatingCurrentContext() -> Bool? { Core.current === core }

  /// Lets `assumeIsolated` succeed on this thread, and traps on any other thread.
  public func checkIsolated() {
    guard Core.current === core else {
      fatalError(
        """
        Code that assumes the isolation of an actor on a RunLoopThread was called on another thread, \
        "\(Thread.current.name ?? "")"; await a method of the actor, or send the code with thread.taskQueue.perform { … }
        """)
    }
  }
}
