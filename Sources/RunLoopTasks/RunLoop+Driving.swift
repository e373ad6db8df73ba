import Foundation

extension RunLoop {
  /// Runs exactly one pass of the loop, without blocking.
  ///
  /// The loop enters a run and serves the timers and sources that are ready. It then goes through `beforeWaiting`,
  /// `afterWaiting` and `exit`, each once. Tasks that you scheduled before the call run in this order:
  /// ``RunLoopTask/Timing/currentLoopEnded``, ``RunLoopTask/Timing/nextLoopBegan``, ``RunLoopTask/Timing/idle``.
  ///
  /// ```swift
  /// let loop = RunLoop.current
  /// loop.perform { print("ended") }.when(.currentLoopEnded)
  /// let ran = loop.runPass()  // prints "ended"; true
  /// ```
  ///
  /// The pass has both moments of ``RunLoopTask/Timing/currentLoopEnded``, `beforeWaiting` and `exit`. If a task
  /// schedules a `.currentLoopEnded` task at the first moment, that task runs at the second. Each moment has the whole
  /// ``RunLoopTaskQueue/budget``.
  ///
  /// A ``RunLoopSource`` delivers one batch. If other sources keep signalling themselves, the loop never reaches
  /// `beforeWaiting`, and the pass ends after a few rounds.
  ///
  /// > Warning: On Linux, Swift Testing's runner runs the main run loop only with `RunLoopMain`:
  /// > <doc:TestingCodeThatUsesARunLoop#The-main-loop>.
  ///
  /// > Warning: UIKit does not support nested runs inside its update. Do not run a pass of the main loop from
  /// > `layoutSubviews`, a display link or a gesture handler: with current SDKs UIKit may end the app.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. `.common` traps, too, because no loop
  ///   runs in that mode.
  /// - Parameter mode: the mode to run in.
  /// - Returns: `true` if a task ran. Timers, sources and Foundation's own blocks do not count.
  @discardableResult
  public func runPass(mode: RunLoop.Mode = .default) -> Bool {
    driver(in: mode, "RunLoop.runPass(mode:)").runPass(in: mode)
  }

  /// Runs passes until no task is pending in the mode.
  ///
  /// If all pending tasks are delayed, the loop sleeps until the earliest delay ends. The call does not wait for tasks
  /// that other threads have yet to schedule, so it returns at once if no task is pending.
  ///
  /// ```swift
  /// #expect(RunLoop.current.runUntilTasksFinish())
  /// ```
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. `.common` traps, too, because no loop
  ///   runs in that mode.
  /// - Parameters:
  ///   - mode: the mode to run in.
  ///   - timeout: the longest time to run. The loop always finishes the pass in progress, and runs at least one pass if
  ///     tasks are pending.
  /// - Returns: `true` if no task is pending in the mode any more; `false` if the timeout has ended the call.
  @discardableResult
  public func runUntilTasksFinish(mode: RunLoop.Mode = .default, timeout: Duration = .seconds(1)) -> Bool {
    let scheduler = driver(in: mode, "RunLoop.runUntilTasksFinish(mode:timeout:)")
    let deadline = Deadline(after: timeout)
    while scheduler.hasPendingTasks(in: mode) {
      if scheduler.canRunTasks(in: mode) {
        scheduler.runPass(in: mode)
      } else {
        _ = DrivenRun.runUntil(
          { scheduler.canRunTasks(in: mode) || !scheduler.hasPendingTasks(in: mode) }, in: mode, deadline)
      }
      if deadline.hasPassed { return !scheduler.hasPendingTasks(in: mode) }
    }
    return true
  }

  /// Runs the loop until a condition holds, and sleeps when there is nothing to do.
  ///
  /// The loop checks the condition at the start, before each sleep, after each waking and at the end of each run. It
  /// also waits in an empty mode, because another thread may schedule a task.
  ///
  /// ```swift
  /// RunLoop.main.runUntil { isDone }  // the main loop of a program
  /// ```
  ///
  /// It lasts as long as it takes. In a test, which must not hang, use ``runUntil(mode:timeout:_:)``.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. `.common` traps, too, because no loop
  ///   runs in that mode.
  /// - Parameters:
  ///   - mode: the mode to run in.
  ///   - condition: a check that the loop makes often, on this thread. It should be quick.
  public func runUntil(mode: RunLoop.Mode = .default, _ condition: () -> Bool) {
    _ = driver(in: mode, "RunLoop.runUntil(mode:_:)")
    _ = withoutActuallyEscaping(condition) { DrivenRun.runUntil($0, in: mode, Deadline(after: .seconds(Int64.max))) }
  }

  /// Runs the loop until a condition holds or a timeout has passed, as ``runUntil(mode:_:)`` does.
  ///
  /// ```swift
  /// let model = Model(queue: RunLoop.current.taskQueue)
  /// model.load()  // answers on this loop, from another thread
  /// #expect(RunLoop.current.runUntil(timeout: .seconds(1)) { model.isLoaded })
  /// ```
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. `.common` traps, too, because no loop
  ///   runs in that mode.
  /// - Parameters:
  ///   - mode: the mode to run in.
  ///   - timeout: the longest time to wait. Zero or less polls.
  ///   - condition: a check that the loop makes often, on this thread. It should be quick.
  /// - Returns: whether the condition holds.
  public func runUntil(mode: RunLoop.Mode = .default, timeout: Duration, _ condition: () -> Bool) -> Bool {
    _ = driver(in: mode, "RunLoop.runUntil(mode:timeout:_:)")
    return withoutActuallyEscaping(condition) { DrivenRun.runUntil($0, in: mode, Deadline(after: timeout)) }
  }

  func driver(in mode: RunLoop.Mode, _ function: StaticString) -> Scheduler {
    let scheduler = Scheduler.current
    if !scheduler.serves(self) { trap(function, ": a run loop can be run by no other") }
    guard mode != .common else {
      fatalError("\(function) needs a single mode: .common stands for several, pass .default or one of the others")
    }
    _ = scheduler.id(of: mode)  // from which on the mode is observed
    return scheduler
  }
}
