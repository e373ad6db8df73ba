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
  private let jobs = RunLoopSource<Job> { batch in
    for item in batch { item.job.runSynchronously(on: item.executor.asUnownedSerialExecutor()) }
  }

  init() { hasEnded.enter() }

  /// Lets the current thread's loop run until it is stopped.
  func live(onceReady: () -> Void) {
    // A source in a mode keeps its runs alive.
    RunLoop.current.add(jobs, forMode: .common)
    var depth = 0
    // Last of all, so that a nested run can hardly consume the wake-up that comes with a stop. It calls nobody, so it misses
    // nothing of nested runs.
    let observer = RunLoop.current.observe([.entry, .beforeWaiting, .exit], order: .max) { [unowned self] activity in
      switch activity {
      case .entry: depth += 1
      case .exit: depth -= 1
      default: if depth == 1, isStopped.withLock({ $0 }) { CFRunLoopStop(CFRunLoopGetCurrent()) }
      }
    }
    onceReady()
    while !isStopped.withLock({ $0 }) { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
    observer.invalidate()
    jobs.deliver()  // what was enqueued just before the stop
    jobs.invalidate()
    ThreadSlot.endThread()
    hasEnded.leave()
  }

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
