#if canImport(Testing)
  import Foundation
  import RunLoopTasks

  /// A thread that runs the code of one test, outside any run of its loop.
  final class TestThread: TaskExecutor {
    typealias Job = @Sendable () -> Void

    /// `nil` ends the thread.
    private let jobs = Locked<[Job?]>([])
    private let hasJob = DispatchSemaphore(value: 0)

    /// Starts the thread.
    init(named name: String) {
      Thread {
        while let job = self.nextJob() { withAutoreleasePool(job) }
      }.start()
      // On Linux a name that is given before `start()` has returned may be lost.
      add { Thread.current.name = threadName(name) }
    }

    private func nextJob() -> Job? {
      hasJob.wait()
      return jobs.withLock { $0.removeFirst() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      add { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Calls a closure on the thread once it has nothing else to do. `nil` ends the thread.
    func add(_ job: Job?) {
      jobs.withLock { $0.append(job) }
      hasJob.signal()
    }
  }
#endif
