import Foundation

/// A loop as the product RunLoopVirtualTime sees it, which moves its clock in steps and makes passes of one mode. Only to
/// be used on the loop's own thread.
package struct SteppedLoop {
  private let scheduler: Scheduler
  package let mode: RunLoop.Mode
  /// Its jobs, if this is the loop of a `RunLoopThread` and the mode is one in which jobs run.
  package let jobs: Jobs?

  init(_ scheduler: Scheduler, in mode: RunLoop.Mode) {
    (self.scheduler, self.mode) = (scheduler, mode)
    jobs = scheduler.isCommon(scheduler.id(of: mode)) ? RunLoopThread.Core.current.map(Jobs.init) : nil
  }

  /// `false` on a thread that is ending, where nothing can be pending.
  package var exists: Bool { scheduler.hasLoop }

  /// The loop serves the main queue in the mode.
  package var servesMainQueue: Bool { scheduler.isOfMainLoop && scheduler.isCommon(scheduler.id(of: mode)) }

  // MARK: The clock, in nanoseconds

  package var now: Int64 { scheduler.clock.now }

  /// The date at which a delay, limit or interval next ends; `.max` for never.
  package var nextDate: Int64 {
    scheduler.catchUp()
    return scheduler.store.pending.earliestAlarm
  }

  /// The date to which the clock moves in a duration.
  package func date(after duration: Duration) -> Int64 { scheduler.clock.limited(scheduler.date(after: duration)) }

  /// - Returns: whether the clock stood still before.
  package func stopClock() -> Bool {
    let stoodStill = scheduler.clock.isFrozen
    scheduler.loop?.setAlarm(at: .max, scheduler)  // its uptime is no longer right; the next sleep sets it anew
    moveClock(to: .min)
    return stoodStill
  }

  /// Stops the clock at `date`, or at the current time if that is later.
  package func moveClock(to date: Int64) { scheduler.changeClock { $0.freeze(at: date) } }

  package func letClockRun() { scheduler.changeClock { $0.resume() } }

  /// Holds the clock, or lets it go: see `TaskClock.isHeld`.
  package func holdClock(_ isHeld: Bool) {
    if isHeld { _ = stopClock() }
    scheduler.changeClock { $0.isHeld = isHeld }
    if !isHeld { letClockRun() }
  }

  // MARK: Passes

  /// How many tasks have run, in all passes and runs.
  package var tasksRun: Int { scheduler.runs.tasksRun }

  /// Whether other threads have sent something that the loop has not read.
  package var hasMessages: Bool { scheduler.inbox.hasUnread }

  /// Whether a task is in line, so that it need not wait for a delay or an interval.
  package var canRunTasks: Bool { scheduler.canRunTasks(in: mode) }

  /// Makes one pass.
  package func runPass(watch: PassWatch?) { scheduler.runPass(in: mode, watch: watch) }

  // MARK: Async code

  /// The callers that wait for the loop and were resumed.
  package var callers: Callers { Callers(scheduler: scheduler) }

  /// Whether async code waits for a task of the loop, or was resumed and has not gone on.
  package var isAwaited: Bool {
    scheduler.catchUp()
    return callers.areOnTheirWay(own: true) || scheduler.store.pending.all.contains(where: \.isAwaited)
  }

  /// The jobs of a `RunLoopThread`.
  package struct Jobs {
    fileprivate let core: RunLoopThread.Core
    /// A pass would serve some.
    package var areReady: Bool { core.jobSource.isReady }
    package var areWaiting: Bool { core.jobSource.state.withLock { !$0.commands.isEmpty } }
    package var isOneUnderWay: Bool { core.isInJob }
  }

  /// See `AsyncCallers`.
  package struct Callers {
    fileprivate let scheduler: Scheduler
    package var steps: Int { scheduler.callers.steps }
    package var waits: Int { scheduler.callers.waits }
    package func areOnTheirWay(own: Bool) -> Bool { scheduler.callers.areOnTheirWay(own: own) }
    package func beginAdvance() { scheduler.callers.beginAdvance() }
    package func endAdvance() { scheduler.callers.endAdvance() }
  }
}

extension RunLoop {
  /// This loop for a call that drives it in steps. Traps as the other calls do that drive a loop.
  package func stepped(in mode: RunLoop.Mode, for call: Call) -> SteppedLoop {
    SteppedLoop(scheduler(toDriveIn: mode, for: call), in: mode)
  }
}
