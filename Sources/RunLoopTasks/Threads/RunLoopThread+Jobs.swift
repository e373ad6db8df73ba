import Foundation

// The jobs of a `RunLoopThread` are the commands of a source. It holds further jobs back while it performs some, so a
// run nested in a job performs no other one, and jobs that come meanwhile wake nothing. (A job that comes between the
// taking of a batch and the holding back costs an empty iteration.)
//
//     the loop       ●── job 1 runs the loop ──┬── job 2 ──┬─────────────●── job 3 ──
//     the source     └ holds jobs back                     └ no longer; it is signalled for job 3
//     another thread            enqueues job 3
extension RunLoopThread.Core {
  /// Runs a part of async code. It keeps its executor alive.
  struct Job: Sendable {
    let run: @Sendable () -> Void
  }

  func enqueue(on executor: RunLoopThread, _ job: @escaping @Sendable () -> Void) {
    // The job may run at once and release the last reference to the executor, and so to this object. The optimizer may
    // leave out a reference that Swift itself counts.
    let executor = Unmanaged.passRetained(executor)
    defer { executor.release() }
    jobSource.accept(Job(run: job))  // also while the door is closed
    // The source leaves the loop before the thread looks for late jobs. So if this thread finds it there, that one
    // finds the job.
    if jobSource.state.withLock({ $0.home == nil }) { hasNews.signal() }
  }

  /// Whether a job of the thread is under way.
  var isInJob: Bool { jobSource.state.withLock { $0.isHeldBack } }

  func perform(_ jobs: [Job]) {
    scheduler.callers.noteJobs(jobs.count)
    jobSource.state.withLock { $0.isHeldBack = true }
    for job in jobs { scheduler.work(.job, self) { withAutoreleasePool(job.run) } }
    jobSource.state.withLock { state in
      state.isHeldBack = false
      if state.isReady { state.home?.source.signal() }  // the loop makes another iteration anyway
    }
  }

  /// Performs the jobs that come after the loop has ended, until no more can come.
  func performLateJobs() {
    while true {
      while let batch = jobSource.state.withLock({ jobSource.takeDelivery(from: &$0) }) { perform(batch.commands) }
      if isAbandoned.load(ordering: .acquiring) { return }
      hasNews.wait()
    }
  }
}
