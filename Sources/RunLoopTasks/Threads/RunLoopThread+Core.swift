import Foundation
import Synchronization

extension RunLoopThread {
  /// The part that the thread itself uses. It does not retain the `RunLoopThread`, which may be released while the
  /// thread runs. The jobs are in `RunLoopThread+Jobs`.
  final class Core: Sendable {
    let scheduler = Scheduler.current
    /// It only grows, so of several stops the one that runs most wins, and the loop finds no stop without its kind.
    private let stopState = Atomic(Stop.none.rawValue)
    /// The `RunLoopThread` and all its queues have been released, so that no more jobs can come.
    let isAbandoned = Atomic(false)
    /// Leaves the loop before that ends.
    let jobSource = RunLoopSource<Job>(perform: { Core.current?.perform($0) })
    /// Signalled for late jobs, and once the thread is abandoned.
    let hasNews = DispatchSemaphore(value: 0)
    let loopEnd = DispatchGroup()

    init() { loopEnd.enter() }

    // MARK: The thread

    private static let key = ThreadLocalScheduler.makeKey(nil)

    /// The core of the current thread, until its last job has run.
    static var current: Core? {
      pthread_getspecific(key).map { Unmanaged<Core>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs the current thread's loop until it is stopped, then the late jobs. The caller retains the core meanwhile.
    func run(onceReady: () -> Void) {
      pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
      jobSource.add(to: scheduler, forMode: .common, Call("", #fileID, #line))
      onceReady()
      // Not at `afterWaiting`: the pass under way goes on.
      let never = Deadline.end(of: .seconds(Int64.max))
      _ = DrivenRun.runUntil({ self.isStopped }, in: .default, never, at: [.beforeWaiting, .exit])
      scheduler.countAsRun { drain(after: Stop(rawValue: stopState.load(ordering: .acquiring))!) }
      jobSource.leave()  // it takes late jobs, so it must not end with the loop
      ThreadLocalScheduler.endScheduler()
      loopEnd.leave()
      performLateJobs()
      pthread_setspecific(Self.key, nil)
    }

    // MARK: Stopping

    /// Why the thread stops.
    enum Stop: Int {
      case none
      /// Nobody refers to it any more.
      case abandoned
      case plain
      case runningDelayedTasks
    }

    var isStopped: Bool { stopState.load(ordering: .acquiring) != Stop.none.rawValue }

    func stop(_ stop: Stop) {
      stopState.max(stop.rawValue, ordering: .releasing)
      scheduler.wakeLoop()  // after that, so that the loop finds the stop before it sleeps again
    }

    /// Lets the thread end once it has no more jobs.
    func abandon() {
      isAbandoned.store(true, ordering: .releasing)
      stop(.abandoned)
      hasNews.signal()
    }
  }
}
