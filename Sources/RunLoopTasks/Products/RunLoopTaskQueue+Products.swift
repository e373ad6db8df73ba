import Foundation

// What the other products of the package ask about a loop, besides what a `LoopListener` is told.

extension RunLoop {
  /// The queue of the current thread's loop. On the loop's own thread; anywhere else it traps.
  package func ownQueue(for call: Call) -> RunLoopTaskQueue { RunLoopTaskQueue(scheduler: scheduler(for: call)) }
}

extension RunLoopTaskQueue {
  // MARK: On any thread

  /// The calling code runs on the loop's own thread.
  package var isOwn: Bool { scheduler.isCurrent }

  /// Tells a listener from now on what the loop does. What has been sent before is there for the loop's next look.
  ///
  /// - Returns: whether the loop has not ended.
  @discardableResult
  package func add(_ listener: some LoopListener) -> Bool { scheduler.listeners.add(listener) }

  /// Tells a listener nothing more, except for what is being told just now.
  package func remove(_ listener: some LoopListener) { scheduler.listeners.remove(listener) }

  /// The number of known runs, of which each is nested in the one before; zero on other threads.
  package var depthOfRuns: Int { scheduler.isCurrent ? scheduler.runs.depth : 0 }

  // MARK: On the loop's own thread

  /// The pending tasks that code on the loop's own thread has scheduled, but for those that async code awaits.
  package var ownTasks: [RunLoopTask] {
    scheduler.catchUpAndRelease()
    return scheduler.store.pending.all.filter { $0.isStillPending && !$0.isPosted && !$0.isAwaited }
  }

  /// The mode of the innermost run, if that is a pass that the package drives, which does not sleep.
  package var modeOfDrivenPass: RunLoop.Mode? {
    scheduler.runs.drivenPass == nil ? nil : scheduler.runs.mode.map { scheduler[$0].name }
  }

  /// Runs a pass in the default mode, with its idle tasks in slices. For hosts.
  package func runSlicedPass() { scheduler.runPass(in: .default, as: .sliced) }

  /// The uptime from which on a pass in the default mode has work, besides other code's: `.min` if it has some now,
  /// `.max` for never. For hosts.
  package func uptimeOfNextWork() -> Int64 {
    scheduler.catchUpAndRelease()
    if scheduler.signalSources(in: .default) || scheduler.hasTasksInLine(.all, in: .default) { return .min }
    return scheduler.clock.uptime(of: scheduler.earliestAlarm(in: .default))
  }
}
