import CoreFoundation
import Foundation

/// The life of a `RunLoopThread`, apart from that object: it may be released while the thread still runs.
final class Residence: Sendable {
  /// An actor's job; it keeps its executor alive.
  struct Job: Sendable {
    let job: UnownedJob
    let executor: RunLoopThread
  }

  /// Entered until the thread has ended.
  let hasEnded = DispatchGroup()
  private let isStopped = Locked(false)
  private let thread = Locked<pthread_t?>(nil)
  private let jobs = RunLoopSource<Job> { perform($0) }

  init() { hasEnded.enter() }

  /// Whether the code that asks runs on the thread, its end included.
  var isCurrent: Bool { thread.withLock { $0 == pthread_self() } }

  /// Lets the current thread's loop run until it is stopped.
  func live(onceReady: () -> Void) {
    thread.withLock { $0 = pthread_self() }
    Scheduler.current.residence = self
    // A source in a mode keeps its runs alive.
    RunLoop.current.add(jobs, forMode: .common)
    let observer = observeOutermostRun()
    onceReady()
    // Without a limit. The observer stops the run, and thereby lets the tasks that wait for that have their turn.
    while !isStopped.withLock({ $0 }) { CFRunLoopRunInMode(RunLoop.Mode.default.cfMode, 1e10, false) }
    observer.invalidate()
    ThreadSlot.endThread()
  }

  // MARK: The end

  // The thread's scheduler calls these two when it ends. So it makes no difference whether the thread was stopped, or whether a
  // task has called `Thread.exit()` and the above never comes to its end.

  /// Before the loop ends: performs what was enqueued before the stop.
  func prepareToEnd() {
    stop()
    Self.perform(jobs.takeCommands())
  }

  /// After the loop has ended.
  func end() {
    thread.withLock { $0 = nil }
    hasEnded.leave()
  }

  private static func perform(_ jobs: [Job]) {
    for item in jobs { item.job.runSynchronously(on: item.executor.asUnownedSerialExecutor()) }
  }

  /// Leaves the outermost run when the thread was stopped, and whenever sources were served: as Foundation's runs do, but only
  /// when all of them have had their turn.
  private func observeOutermostRun() -> LoopObserver {
    var depth = 0
    var hasWaited = true
    // Last of all, so that no nested run can consume the wake-up that comes with a stop. It calls nobody, so it misses nothing
    // of nested runs; and it is in the one mode in which it sees each run from its beginning.
    let activities: RunLoop.Activity = [.entry, .beforeTimers, .beforeWaiting, .exit]
    let observer = LoopObserver(activities, order: .max) { [unowned self] activity in
      switch activity {
      case .entry:
        depth += 1
        if depth == 1 { hasWaited = true }
      case .exit: depth -= 1
      default:
        guard depth == 1 else { return }
        if isStopped.withLock({ $0 }) || activity == .beforeTimers && !hasWaited { stopRun() }
        hasWaited = activity == .beforeWaiting
      }
    }
    CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer.cf, RunLoop.Mode.default.cfMode)
    return observer
  }

  private func stopRun() { CFRunLoopStop(CFRunLoopGetCurrent()) }

  func stop() { isStopped.withLock { $0 = true } }

  var pendingJobs: Int { jobs.pendingCommands }

  /// - Returns: whether it will run: not after a stop.
  func enqueue(_ job: Job) -> Bool {
    isStopped.withLock { isStopped in
      guard !isStopped else { return false }
      return jobs.send(job)
    }
  }
}
