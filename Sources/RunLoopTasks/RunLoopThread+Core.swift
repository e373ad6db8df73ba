import Foundation

extension RunLoopThread {
  /// The part that the thread itself uses. It does not retain the `RunLoopThread`, which may be released while the
  /// thread runs. The jobs are in `RunLoopThread+Jobs`.
  final class Core: Sendable {
    struct State {
      var isStopped = false
      /// The `RunLoopThread` and all its queues have been released, so that no more jobs can come.
      var isAbandoned = false
      var hasLoopEnded = false
      /// The jobs that wait.
      var jobs = Buffer<Job>()
      var isJobRunning = false

      var areJobsReady: Bool { !isJobRunning && !jobs.isEmpty }
    }

    let scheduler = Scheduler.current
    let state = Locked(State())
    /// Performs jobs, and keeps runs of the common modes alive in which jobs may run.
    let jobSource = LoopSource(
      perform: { Core.current?.performJobs() }, hasWork: { Core.current?.hasReadyJobs == true })
    /// Signalled for late jobs, and once the thread is abandoned.
    let hasNews = DispatchSemaphore(value: 0)
    let loopEnd = DispatchGroup()

    init() { loopEnd.enter() }

    // MARK: The thread

    /// The system calls the destructor if a task or a job exits the thread, and again if a late job does.
    private static let key = ThreadLocalScheduler.makeKey { Core.end($0) }

    /// The core of the current thread, until its last job has run.
    static var current: Core? {
      pthread_getspecific(key).map { Unmanaged<Core>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs the current thread's loop until it is stopped, then the late jobs.
    func run(onceReady: () -> Void) {
      pthread_setspecific(Self.key, Unmanaged.passRetained(self).toOpaque())
      scheduler.loop?.add(jobSource, to: .common)
      onceReady()
      runUntilStopped()
      Self.end(pthread_getspecific(Self.key))
    }

    /// Runs the loop until the thread is stopped, and then one last pass.
    ///
    /// If the loop is about to sleep, the pass under way has ended, and the last pass is nested there: after that
    /// activity the loop always wakes, and would begin another one. An iteration of the loop that served a source has
    /// no `beforeWaiting`. The run ends after it, so that the tasks for the end of a pass run at the `exit`, and the
    /// next run begins.
    private func runUntilStopped() {
      var (hasWaited, isOver) = (true, false)
      do {
        let run = DrivenRun(.default, alive: .ofMode, at: [.entry, .beforeTimers, .beforeWaiting]) {
          [unowned self] activity in
          defer { hasWaited = activity != .beforeTimers }
          guard activity == .beforeWaiting, isStopped else { return activity == .beforeTimers && !hasWaited }
          isOver = true
          makeLastPass()
          return true
        }
        while !isStopped { run.run() }
      }
      // After the observers of the run have gone, which would nest another one.
      if !isOver { makeLastPass() }
    }

    /// Runs what is in line by now, whatever its timing, and cancels the rest.
    private func makeLastPass() {
      scheduler.catchUp()
      RunLoop.current.runPass(scheduler, .default, lineEnd: scheduler.pending.takePosition())
      scheduler.cancelAll()
    }

    // MARK: Stopping

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    func stop() {
      state.withLock { $0.isStopped = true }
      // A nested run may consume the wake-up. At its `exit` it arms the mode again, as that is attached.
      scheduler.attachment.withLock { attachment in attachment.mode(.default).map { attachment.arm($0) } }
      scheduler.attachment.wakeLoop()
    }

    /// Lets the thread end once it has no more jobs.
    func abandon() {
      state.withLock { $0.isAbandoned = true }
      stop()
      hasNews.signal()
    }

    // MARK: The end

    /// The thread's end comes later, after all that the loop's end calls.
    private static func end(_ content: UnsafeMutableRawPointer?) {
      guard let content else { return }
      pthread_setspecific(key, content)  // the system has taken it out
      let reference = Unmanaged<Core>.fromOpaque(content)
      let core = reference.takeUnretainedValue()
      core.jobSource.invalidate()
      ThreadLocalScheduler.endThread()
      let hadEnded = core.state.withLock { state in
        defer { (state.isStopped, state.hasLoopEnded) = (true, true) }
        return state.hasLoopEnded
      }
      if !hadEnded { core.loopEnd.leave() }
      // If a late job has exited the thread, the loop may be gone. Its observers stay as long as it is there.
      core.performLateJobs(hadEnded ? nil : LoopClosing())
      pthread_setspecific(key, nil)
      reference.release()
    }
  }
}
