import CoreFoundation
import Foundation

extension RunLoop {
  /// Runs exactly one turn of the loop, without blocking.
  ///
  /// The run is entered, whatever is ready is served, then come `beforeWaiting`, `afterWaiting` and `exit`, each once. Tasks
  /// that were scheduled before run in this order: ``RunLoopTask/Timing/currentLoopEnded``,
  /// ``RunLoopTask/Timing/nextLoopBegan``, ``RunLoopTask/Timing/idle``.
  ///
  /// ```swift
  /// let loop = RunLoop.current
  /// loop.perform { print("ended") }.when(.currentLoopEnded)
  /// let ran = loop.runPass()  // prints "ended"; true
  /// ```
  ///
  /// ``RunLoopTask/Timing/currentLoopEnded`` has both its moments in it, before waiting and at the exit: what a task schedules at
  /// the first runs at the second, and each has the whole ``RunLoopTaskQueue/budget``.
  ///
  /// If sources keep signalling themselves, so that the loop has something to do and never gets to waiting, the turn ends
  /// after a few rounds without it.
  ///
  /// > Warning: On Linux, Swift Testing's runner never runs the main run loop: <doc:TestingCodeThatUsesARunLoop#The-main-loop>.
  ///
  /// > Warning: UIKit does not support nested runs inside its update. Do not run a pass of the main loop from `layoutSubviews`, a display
  /// > link or a gesture handler: with current SDKs UIKit stops the program.
  ///
  /// - Important: Call it on the loop's own thread; elsewhere it stops the program. So does `.common`, in which no loop runs.
  /// - Parameter mode: the mode to run in.
  /// - Returns: whether any task ran; timers, sources and Foundation's own blocks do not count.
  @discardableResult
  public func runPass(mode: RunLoop.Mode = .default) -> Bool {
    runPass(driver(in: mode, "RunLoop.runPass(mode:)"), mode)
  }

  /// Runs passes until no task is pending in the mode.
  ///
  /// If all pending tasks wait for their time, the loop sleeps until the earliest. It does not wait for tasks that other threads have yet to
  /// schedule: with none pending it returns at once.
  ///
  /// ```swift
  /// #expect(RunLoop.current.runUntilTasksFinish())
  /// ```
  ///
  /// - Important: Call it on the loop's own thread; elsewhere it stops the program. So does `.common`, in which no loop runs.
  /// - Parameters:
  ///   - mode: the mode to run in.
  ///   - timeout: how long to go on at most. The pass under way is finished, and if tasks are pending, one pass is run.
  /// - Returns: whether no task is pending in the mode any more; `false` at the timeout.
  @discardableResult
  public func runUntilTasksFinish(mode: RunLoop.Mode = .default, timeout: Duration = .seconds(1)) -> Bool {
    let scheduler = driver(in: mode, "RunLoop.runUntilTasksFinish(mode:timeout:)")
    let deadline = TestDeadline(timeout)
    while scheduler.hasPendingTasks(in: mode) {
      if scheduler.canRunTasks(in: mode) {
        runPass(scheduler, mode)
      } else {
        let run = ConditionalRun(mode) { scheduler.canRunTasks(in: mode) || !scheduler.hasPendingTasks(in: mode) }
        _ = run.run(deadline)
      }
      if deadline.hasPassed { return !scheduler.hasPendingTasks(in: mode) }
    }
    return true
  }

  /// Runs the loop until a condition holds, and sleeps when there is nothing to do.
  ///
  /// The loop checks the condition first, before each sleep, after each waking and when a run is left. It also waits in an empty mode,
  /// because another thread may schedule a task.
  ///
  /// ```swift
  /// let model = Model(queue: RunLoop.current.taskQueue)
  /// model.load()  // answers on this loop, from another thread
  /// #expect(RunLoop.current.runUntil { model.isLoaded })
  /// ```
  ///
  /// Without a timeout it can be a program's main loop: `RunLoop.main.runUntil(timeout: nil) { isDone }`.
  ///
  /// - Important: Call it on the loop's own thread; elsewhere it stops the program. So does `.common`, in which no loop runs.
  /// - Parameters:
  ///   - mode: the mode to run in.
  ///   - timeout: how long to wait at most, `nil` for as long as it takes.
  ///   - condition: asked on this thread, often; it should be quick.
  /// - Returns: whether the condition holds.
  @discardableResult
  public func runUntil(
    mode: RunLoop.Mode = .default, timeout: Duration? = .seconds(1), _ condition: () -> Bool
  ) -> Bool {
    _ = driver(in: mode, "RunLoop.runUntil(mode:timeout:_:)")
    return withoutActuallyEscaping(condition) { ConditionalRun(mode, $0).run(TestDeadline(timeout)) }
  }

  /// Lets time pass on the loop's task clock, without waiting.
  ///
  /// Delays, limits and intervals that end in this time end in their order, each with a pass of its own. One more pass follows. So code that
  /// waits is tested at once, and exactly:
  ///
  /// ```swift
  /// field.type("swift")  // searches 300 ms after the last letter
  /// #expect(!RunLoop.current.advance(by: .milliseconds(299)))
  /// #expect(RunLoop.current.advance(by: .milliseconds(1)))
  /// ```
  ///
  /// Foundation's timers and dates do not move. While this runs, the task clock shows only the time that it is told; then it goes on from there.
  ///
  /// - Important: Call it on the loop's own thread; elsewhere it stops the program. So do `.common`, in which no loop runs, and a duration
  ///   below zero.
  /// - Parameters:
  ///   - duration: how much time passes.
  ///   - mode: the mode in which the passes run.
  /// - Returns: whether any task ran.
  @discardableResult
  public func advance(by duration: Duration, mode: RunLoop.Mode = .default) -> Bool {
    let scheduler = driver(in: mode, "RunLoop.advance(by:mode:)")
    guard duration >= .zero else {
      fatalError("RunLoop.advance(by:mode:) needs a duration of zero or more, not \(duration): time does not go back")
    }
    let tasksRunBefore = scheduler.tasksRun
    let end = scheduler.clock.date(after: duration)
    let isNested = scheduler.clock.isFrozen
    let depth = scheduler.runs.depth + 1
    while let alarm = scheduler.earliestAlarm, alarm <= end {
      scheduler.clock.freeze(at: alarm, depth: depth)
      scheduler.letTimePass()  // the package does not observe a mode that was never used
      runPass(scheduler, mode)
    }
    scheduler.clock.freeze(at: end, depth: depth)
    runPass(scheduler, mode)
    if !isNested { scheduler.clock.resume() }
    return scheduler.tasksRun > tasksRunBefore
  }

  @discardableResult
  private func runPass(_ scheduler: Scheduler, _ mode: RunLoop.Mode) -> Bool {
    let tasksRunBefore = scheduler.tasksRun
    // If this pass is nested in a run, its exit does not mean that the run has ended which was under way when a mode was first seen.
    let firstSeen = scheduler.currentMode() == nil ? [] : scheduler.runs.firstSeenInside
    scheduler.clock.standingStill(atDepth: scheduler.runs.depth + 1) { SinglePass(mode.cfMode).run() }
    for mode in firstSeen { scheduler.runs.noteFirstSeen(mode) }
    return scheduler.tasksRun > tasksRunBefore
  }

  private func driver(in mode: RunLoop.Mode, _ function: StaticString) -> Scheduler {
    let scheduler = Scheduler.current
    guard scheduler.serves(self) else {
      if self === RunLoop.main, isMainActorElsewhere { fatalError("\(function) \(asyncMainCause)") }
      fatalError("\(function) must be called on the loop's own thread: a run loop can be run by no other")
    }
    guard mode != .common else {
      fatalError("\(function) needs a single mode: .common stands for several, pass .default or one of the others")
    }
    return scheduler
  }
}

extension Scheduler {
  fileprivate func hasPendingTasks(in mode: RunLoop.Mode) -> Bool {
    readMessages()
    garbage.release()
    let mode = id(of: mode)
    return pending.hasTasks(in: mode) || pending.hasTasks(in: .common) && isCommon(mode)
  }

  /// Whether a pending task of the mode does not wait for its time.
  fileprivate func canRunTasks(in mode: RunLoop.Mode) -> Bool {
    letTimePass()
    return hasTasks(in: .all, of: id(of: mode))
  }

  /// When the earliest delay, limit or interval ends.
  fileprivate var earliestAlarm: Int64? {
    readMessages()
    return pending.earliestAlarm
  }
}
