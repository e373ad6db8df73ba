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
  /// > Warning: On Linux no code of the main actor is on the main loop's thread if `main` is `async`, as that of Swift Testing's
  /// > runner is: drive `RunLoop.current` in a test that is not `async`. See <doc:TestingCodeThatUsesARunLoop>.
  ///
  /// - Important: Call it on the loop's own thread; elsewhere it stops the program. So does `.common`, in which no loop runs.
  /// - Parameter mode: the mode to run in.
  /// - Returns: whether any task ran; timers, sources and Foundation's own blocks do not count.
  @discardableResult
  public func runPass(mode: RunLoop.Mode = .default) -> Bool {
    driver(in: mode, "RunLoop.runPass(mode:)").runPass(mode)
  }

  /// Runs passes until no task is pending in the mode.
  ///
  /// It does not wait for tasks that other threads have yet to schedule: with none pending it returns at once.
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
    let start = ContinuousClock.now
    while scheduler.hasPending(inMode: mode) {
      scheduler.runPass(mode)
      if ContinuousClock.now - start >= timeout { return !scheduler.hasPending(inMode: mode) }
    }
    return true
  }

  private func driver(in mode: RunLoop.Mode, _ function: StaticString) -> Scheduler {
    let scheduler = Scheduler.current
    guard scheduler.serves(self) else {
      fatalError("\(function) must be called on the loop's own thread: a run loop can be run by no other")
    }
    guard mode != .common else {
      fatalError("\(function) needs a single mode: .common stands for several, pass .default or one of the others")
    }
    return scheduler
  }
}
