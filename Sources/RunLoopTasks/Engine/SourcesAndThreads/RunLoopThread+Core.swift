import Foundation
import Synchronization

extension RunLoopThread {
  /// The part that the thread itself uses. It does not retain the `RunLoopThread`, which may be released while the
  /// thread runs. The jobs are in `RunLoopThread+Jobs`.
  final class Core: Sendable {
    let scheduler = Scheduler.current
    /// A `Stop`. It only grows, so a stop that runs delayed tasks wins, and the loop finds no stop without its kind.
    private let stopState = Atomic(Stop.none)
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
      scheduler.noteRun()  // even if it is stopped before
      jobSource.add(to: scheduler, forMode: .common, Call("", #fileID, #line))
      onceReady()
      // Not at `afterWaiting`: the pass under way goes on.
      let never = Deadline.end(of: .seconds(Int64.max))
      _ = DrivenRun.runUntil({ self.isStopped }, in: .default, never, at: [.beforeWaiting, .exit])
      drain()
      jobSource.leave()  // it takes late jobs, so it must not end with the loop
      ThreadLocalScheduler.endScheduler()
      loopEnd.leave()
      performLateJobs()
      pthread_setspecific(Self.key, nil)
    }

    /// Does what was sent before the stop, outside any run: runs all tasks that are in line, and those that wait if it
    /// shall, and delivers all commands, and then once more for what these have scheduled, sent or replaced. With that,
    /// its sources end. Jobs come later.
    private func drain() {
      let runsDelayedTasks = stopState.load(ordering: .acquiring) == Stop.runningDelayedTasks
      for isLast in [false, true] {
        scheduler.lookAnew()
        scheduler.runBatch(.all, in: .default, isDrain: true)
        if runsDelayedTasks { scheduler.runWaitingTasks() }
        for source in scheduler.sources.sorted(by: { $0.order < $1.order }) where source !== jobSource {
          source.drain(scheduler, isLast: isLast)
        }
      }
    }

    // MARK: Stopping

    private enum Stop {
      static let none = 0, plain = 1, runningDelayedTasks = 2
    }

    var isStopped: Bool { stopState.load(ordering: .acquiring) != Stop.none }

    func stop(runningDelayedTasks: Bool = false) {
      stopState.max(runningDelayedTasks ? Stop.runningDelayedTasks : Stop.plain, ordering: .releasing)
      scheduler.wakeLoop()  // after that, so that the loop finds the stop before it sleeps again
    }

    /// Lets the thread end once it has no more jobs.
    func abandon() {
      isAbandoned.store(true, ordering: .releasing)
      stop()
      hasNews.signal()
    }
  }
}
