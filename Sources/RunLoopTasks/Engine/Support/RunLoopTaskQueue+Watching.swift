import Foundation

// What `RunLoopTesting` asks about the loop of a test.
extension RunLoopTaskQueue {
  /// The pending tasks that code on the loop's own thread has scheduled, but for those that async code awaits. Only on
  /// that thread.
  package var ownTasks: [RunLoopTask] {
    scheduler.lookAnew()
    return scheduler.pending.all.filter { $0.isPending && !$0.isPosted && !$0.isAwaited }
  }

  /// The mode in which the loop runs, `nil` outside a run, and whether it sleeps. Any thread may ask.
  package var activeRun: (mode: RunLoop.Mode, isSleeping: Bool)? {
    systemLoop.flatMap { loop in loop.runningMode.map { ($0, loop.isSleeping) } }
  }

  /// The number of known runs, of which each is nested in the one before; zero on other threads.
  package var depthOfRuns: Int { scheduler.isCurrent ? scheduler.runs.count : 0 }

  /// Calls `body` on the loop's own thread between two tasks, timers or sources of a run in the mode. Any thread may
  /// call this. It schedules nothing.
  package func interrupt(in mode: RunLoop.Mode, _ body: @escaping @Sendable () -> Void) {
    systemLoop?.perform(in: mode, body)
  }

  /// `nil` once the loop has ended.
  private var systemLoop: SystemLoop? { scheduler.attachment.withLock { $0.loop as? SystemLoop } }
}
