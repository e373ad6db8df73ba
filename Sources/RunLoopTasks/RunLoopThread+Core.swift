import Foundation

extension RunLoopThread {
  /// The part that the thread itself uses. It does not retain the `RunLoopThread`, which may be released while the
  /// thread runs.
  final class Core: Sendable {
    /// A job of an actor. It keeps its executor alive.
    struct Job: Sendable {
      let job: UnownedJob
      let executor: RunLoopThread

      func run() { job.runSynchronously(on: executor.asUnownedSerialExecutor()) }
    }

    private struct State {
      /// `nil` once the thread is about to end.
      var thread: pthread_t?
      var isStopped = false
      /// Whether the last reference to the `RunLoopThread` is gone, so that no more jobs can come.
      var isAbandoned = false
      var hasLoopEnded = false
      /// The jobs that came after the loop had ended.
      var lateJobs: [Job] = []
      /// The callers of `ended()`.
      var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    /// Signalled for each late job, and once the thread is abandoned.
    private let hasNews = DispatchSemaphore(value: 0)
    private let loopEnd = DispatchGroup()
    private let jobs = RunLoopSource<Job> { jobs in jobs.forEach { $0.run() } }

    init() { loopEnd.enter() }

    /// Whether the calling code runs on the thread, its end included.
    var isCurrent: Bool { state.withLock { $0.thread == pthread_self() } }

    /// Runs the current thread's loop until it is stopped, then the late jobs.
    func run(onceReady: () -> Void) {
      state.withLock { $0.thread = pthread_self() }
      Scheduler.current.threadCore = self
      RunLoop.current.add(jobs, forMode: .common)  // it keeps runs of these modes alive
      onceReady()
      runOutermost()
      ThreadLocalScheduler.endThread()
    }

    /// Runs the loop until the thread is stopped; the tasks for the end of the run have their turn first. A turn that
    /// served a source has no `beforeWaiting`. The run ends after it, so that the tasks for the end of a pass run at the
    /// `exit`, and the next run begins.
    private func runOutermost() {
      var hasWaited = true
      let run = DrivenRun(.default, alive: .ofMode, at: [.entry, .beforeTimers, .beforeWaiting]) {
        [unowned self] activity in
        defer { hasWaited = activity != .beforeTimers }
        return activity != .entry && isStopped || activity == .beforeTimers && !hasWaited
      }
      while !isStopped { run.run() }
    }

    // MARK: Stopping

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    func stop() { state.withLock { $0.isStopped = true } }

    /// Lets the thread end once it has no more jobs: the last reference to the `RunLoopThread` is gone.
    func abandon() {
      state.withLock { ($0.isStopped, $0.isAbandoned) = (true, true) }
      hasNews.signal()
    }

    func waitForLoopEnd() { loopEnd.wait() }

    func loopHasEnded() async {
      await withCheckedContinuation { continuation in
        let hasEnded = state.withLock { state in
          if !state.hasLoopEnded { state.waiting.append(continuation) }
          return state.hasLoopEnded
        }
        if hasEnded { continuation.resume() }
      }
    }

    // MARK: The end

    /// Ends the wait for the loop and performs the jobs that come late. `ThreadLocalScheduler` calls this on the thread
    /// when its loop has ended. The thread may have been stopped, or a task may have called `Thread.exit()`, after
    /// which `run` does not continue.
    func performLateJobs() {
      let waiting = state.withLock { state in
        (state.isStopped, state.hasLoopEnded) = (true, true)
        state.lateJobs = jobs.takeCommands()
        defer { state.waiting = [] }
        return state.waiting
      }
      jobs.invalidate()
      loopEnd.leave()
      waiting.forEach { $0.resume() }
      while let job = nextLateJob() { withAutoreleasePool(job.run) }
      state.withLock { $0.thread = nil }
    }

    /// Waits for a job; `nil` if no more can come.
    private func nextLateJob() -> Job? {
      while true {
        let (job, isOver) = state.withLock { state in
          (state.lateJobs.isEmpty ? nil : state.lateJobs.removeFirst(), state.isAbandoned)
        }
        if job != nil || isOver { return job }
        hasNews.wait()
      }
    }

    // MARK: Jobs

    var pendingJobs: Int { jobs.pendingCommands }
    var hasReadyJobs: Bool { pendingJobs > 0 }

    func enqueue(_ job: Job) {
      let isLate = state.withLock { state in
        guard state.hasLoopEnded else {
          jobs.send(job)
          return false
        }
        state.lateJobs.append(job)
        return true
      }
      if isLate { hasNews.signal() }
    }
  }
}
