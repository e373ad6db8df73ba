import Foundation

// The jobs of a `RunLoopThread`. They wait in a buffer, and a source performs them. The source is out of all modes
// while they run, so a run nested in a job performs no other job and is not kept alive by those that wait:
//
//     the loop       a job runs the loop            the next job
//     ──────────●────┬─────────────────────────────┬────────────┬──────────●──
//     the source is in its modes                                            a new pass performs job 3
//               └ it is taken out                               └ it is back, and signalled for job 3
//     another thread           enqueues job 3: wakes nothing
//
// Otherwise the first job in the buffer signals the source and wakes the loop. If a nested run has used up the wake-up,
// the source's observer looks again before the loop sleeps.
extension RunLoopThread.Core {
  /// A part of async code. It keeps its executor alive.
  struct Job: Sendable {
    let job: UnownedJob
    let executor: RunLoopThread
    /// It has come to the executor of an actor. Otherwise it has come to the executor of a task.
    let isOfActor: Bool

    func run() {
      if isOfActor {
        job.runSynchronously(on: executor.asUnownedSerialExecutor())
      } else {
        job.runSynchronously(on: executor.asUnownedTaskExecutor())
      }
    }
  }

  /// A pass of the loop would perform jobs now.
  var hasReadyJobs: Bool { state.withLock { $0.areJobsReady } }

  func enqueue(_ job: Job) {
    let (mustWake, isLate) = state.withLock { state in
      state.jobs.append(job)
      return (state.areJobsReady && state.jobs.count == 1, state.hasLoopEnded)
    }
    guard mustWake else { return }
    if isLate {
      hasNews.signal()
    } else {
      jobSource.signal()
      scheduler.attachment.wakeLoop()
    }
  }

  /// Performs the jobs that wait now. Jobs that come meanwhile wait for the next iteration of the loop.
  func performJobs() {
    let count = state.withLock { $0.jobs.count }
    guard count > 0, scheduler.drivenPass?.mayDeliver(self) != false, let loop = scheduler.loop else { return }
    loop.remove(jobSource, from: .common)
    for _ in 0..<count { performNextJob() }
    loop.add(jobSource, to: .common)
    let areMoreReady = state.withLock { state in
      state.isJobRunning = false
      return state.areJobsReady
    }
    if areMoreReady { jobSource.signal() }  // the loop makes another iteration anyway
  }

  /// Performs the jobs that come after the loop has ended, until no more can come.
  func performLateJobs() {
    while true {
      while performNextJob() {}
      if state.withLock({ $0.isAbandoned }) { return }
      hasNews.wait()
    }
  }

  /// - Returns: whether there was a job.
  @discardableResult
  private func performNextJob() -> Bool {
    let job = state.withLock { state in
      state.isJobRunning = !state.jobs.isEmpty
      if state.isJobRunning { state.jobsBegun += 1 }
      return state.jobs.popFirst()
    }
    if let job { withAutoreleasePool(job.run) }
    return job != nil
  }
}
