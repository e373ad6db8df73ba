import Foundation

extension RunLoop {
  /// Makes a short run, from `entry` to `exit`, without blocking.
  ///
  /// Despite its name, it has the end of one pass and the beginning of the next, without the sleep between them.
  /// The loop enters a run and serves the timers and sources that are ready. It then goes through `beforeWaiting`,
  /// `afterWaiting` and `exit`, each once; `beforeTimers` and `beforeSources` come twice or more often. Tasks that you
  /// scheduled before the call, and that don't wait for their time, run in this order, by their timing:
  /// ``RunLoopTask/Timing/currentLoopEnded``, ``RunLoopTask/Timing/nextLoopBegan``, ``RunLoopTask/Timing/idle``.
  ///
  /// ```swift
  /// let loop = RunLoop.current
  /// loop.perform { print("ended") }.when(.currentLoopEnded)
  /// let ran = loop.runPass()  // prints "ended"; true
  /// ```
  ///
  /// > Warning: A task that schedules itself again may run twice in one call, because such a pass has both moments of
  /// > each timing, such as `beforeWaiting` and `exit`. On a loop that sleeps between its passes, it runs once in each.
  ///
  /// Each moment has the whole ``RunLoopTaskQueue/budget``.
  ///
  /// A ``RunLoopSource`` delivers one batch. If other sources keep signalling themselves, the loop never reaches
  /// `beforeWaiting`, and the pass ends after about a hundred rounds.
  ///
  /// > Warning: On Linux, Swift Testing's runner runs the main run loop only with `RunLoopMain`, which `RunLoopTesting`
  /// > brings. Without it, the main actor isn't on the main thread, and this traps in a main-actor test:
  /// > <doc:ThreadsAndAsyncCode#On-Linux>.
  ///
  /// > Warning: UIKit doesn't allow nested runs in its update. Don't run a pass of the main loop from
  /// > `layoutSubviews`, a display link or a gesture handler: with current SDKs UIKit may end the app.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. In async code it doesn't compile
  ///   (in Swift 5 mode, that is a warning).
  ///   `.common` also traps, because no loop runs in that mode.
  /// - Parameters:
  ///   - mode: the mode to run in.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: `true` if a task ran. Timers, sources and Foundation's own blocks do not count.
  @discardableResult
  @available(*, noasync, message: "In a test, use withMainRunLoop; else `try await queue.run { RunLoop.current.… }`")
  public func runPass(mode: RunLoop.Mode = .default, fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
    scheduler(toDriveIn: mode, for: Call("RunLoop.runPass(mode:)", fileID, line)).runPass(in: mode)
  }

  /// Runs passes until no task is pending in the mode.
  ///
  /// If all pending tasks are delayed, the loop sleeps until the earliest delay ends. The call doesn't wait for tasks
  /// that other threads have yet to schedule, so it returns immediately if no task is pending. Nor does it wait for
  /// commands of a ``RunLoopSource``, a Swift `Task`, a main-queue block or a `Timer`, which aren't tasks of this
  /// package: wait for what these cause with `runUntil`. What a `Task` awaits of this loop, `run` or a sleep on its
  /// clock, is one: the call waits for that, and not for what the `Task` does next.
  ///
  /// ```swift
  /// RunLoop.main.perform(when: .idle, after: .seconds(2)) { print("saved") }
  /// RunLoop.main.runUntilTasksFinish()  // saves before the program ends
  /// ```
  ///
  /// It takes as long as the tasks do, and never returns if a task always schedules itself again. In a test, which must
  /// not hang, use ``runUntilTasksFinish(mode:timeout:fileID:line:)``.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. In async code it doesn't compile
  ///   (in Swift 5 mode, that is a warning).
  ///   `.common` also traps, because no loop runs in that mode.
  /// - Parameters:
  ///   - mode: the mode to run in.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  @available(*, noasync, message: "In a test, use withMainRunLoop; else `try await queue.run { RunLoop.current.… }`")
  public func runUntilTasksFinish(mode: RunLoop.Mode = .default, fileID: StaticString = #fileID, line: UInt = #line) {
    _ = runUntilTasksFinish(mode: mode, timeout: .seconds(Int64.max), fileID: fileID, line: line)
  }

  /// Runs passes until no task is pending in the mode or a timeout has passed, as
  /// ``runUntilTasksFinish(mode:fileID:line:)`` does.
  ///
  /// ```swift
  /// #expect(RunLoop.current.runUntilTasksFinish(timeout: .seconds(1)))
  /// ```
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. In async code it doesn't compile
  ///   (in Swift 5 mode, that is a warning).
  ///   `.common` also traps, because no loop runs in that mode.
  /// - Parameters:
  ///   - mode: the mode to run in.
  ///   - timeout: the longest time to run. The loop always finishes the pass in progress, and runs at least one pass if
  ///     tasks are pending.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: `true` if no task is pending in the mode; `false` if the timeout has ended the call, or if all tasks
  ///   wait for the stopped clock of a test.
  @available(*, noasync, message: "In a test, use withMainRunLoop; else `try await queue.run { RunLoop.current.… }`")
  public func runUntilTasksFinish(
    mode: RunLoop.Mode = .default, timeout: Duration, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Bool {
    let call = Call("RunLoop.runUntilTasksFinish", fileID, line)
    let scheduler = scheduler(toDriveIn: mode, for: call)
    let deadline = Deadline.end(of: timeout)
    let id = scheduler.id(of: mode)
    func haveFinished() -> Bool {
      scheduler.catchUpAndRelease()
      return !scheduler.hasPendingTasks(in: id)
    }
    while !haveFinished() {
      if scheduler.clock.isHeld, !scheduler.canRunTasks(in: mode) {
        scheduler.tell { $0.callWaitsInVain(call) }
        return false
      }
      // Returns at once if a task is in line.
      _ = DrivenRun.runUntil({ scheduler.canRunTasks(in: mode) || haveFinished() }, in: mode, deadline)
      if scheduler.canRunTasks(in: mode) { scheduler.runPass(in: mode, as: .sliced) }
      if deadline <= .now { return haveFinished() }
    }
    return true
  }

  /// Runs the loop until a condition holds, and sleeps when there is nothing to do.
  ///
  /// The loop checks the condition at the start, before each sleep, after each waking and at the end of each run. It
  /// also waits in an empty mode, because another thread may schedule a task. It doesn't look while it sleeps: if
  /// another thread makes the condition true by other means than a task, a command or a main-queue block, it must wake
  /// the loop afterwards, as by `queue.perform {}`.
  ///
  /// ```swift
  /// RunLoop.main.runUntil { isDone }  // the main loop of a program
  /// ```
  ///
  /// It lasts as long as it takes. In a test, which must not hang, use ``runUntil(mode:timeout:_:fileID:line:)``.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. In async code it doesn't compile
  ///   (in Swift 5 mode, that is a warning).
  ///   `.common` also traps, because no loop runs in that mode.
  /// - Parameters:
  ///   - mode: the mode to run in.
  ///   - condition: a check that the loop makes often, on this thread. It should be quick.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  @available(*, noasync, message: "In a test, use withMainRunLoop; else `try await queue.run { RunLoop.current.… }`")
  public func runUntil(
    mode: RunLoop.Mode = .default, _ condition: () -> Bool, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    _ = runUntil(mode: mode, timeout: .seconds(Int64.max), condition, fileID: fileID, line: line)
  }

  /// Runs the loop until a condition holds or a timeout has passed, as ``runUntil(mode:_:fileID:line:)`` does.
  ///
  /// ```swift
  /// let model = Model(queue: RunLoop.current.taskQueue)
  /// model.load()  // answers on this loop, from another thread
  /// #expect(RunLoop.current.runUntil(timeout: .seconds(1)) { model.isLoaded })
  /// ```
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. In async code it doesn't compile
  ///   (in Swift 5 mode, that is a warning).
  ///   `.common` also traps, because no loop runs in that mode.
  /// - Parameters:
  ///   - mode: the mode to run in.
  ///   - timeout: the longest time to wait. With zero or less, the call doesn't wait.
  ///   - condition: a check that the loop makes often, on this thread. It should be quick.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: whether the condition holds.
  @available(*, noasync, message: "In a test, use withMainRunLoop; else `try await queue.run { RunLoop.current.… }`")
  public func runUntil(
    mode: RunLoop.Mode = .default, timeout: Duration, _ condition: () -> Bool, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Bool {
    _ = scheduler(toDriveIn: mode, for: Call("RunLoop.runUntil", fileID, line))
    return withoutActuallyEscaping(condition) { DrivenRun.runUntil($0, in: mode, .end(of: timeout)) }
  }

  /// Runs the tasks of a timing now, before the loop gets to their activity.
  ///
  /// Use it where changes must be complete before the pass ends, for example before you draw a frame. A task runs there
  /// or at its activity, whichever comes first.
  ///
  /// ```swift
  /// window.handleEvents()
  /// RunLoop.main.runTasks(of: .currentLoopEnded)  // the reloads that the handlers requested
  /// window.drawFrame()
  /// ```
  ///
  /// On iOS, tvOS and visionOS, `UIUpdateLink.addRunLoopTasks(to:)` makes this call in each of UIKit's updates, before
  /// its commit:
  /// <doc:InTheSameFrame>.
  ///
  /// The tasks run as one batch, as at their activity: the tasks of the mode in which the loop runs, or of the default
  /// mode outside a run, in their order, and with them tasks of any timing whose limit has passed. What they schedule
  /// waits for the next batch, and the ``RunLoopTaskQueue/budget`` or, of ``RunLoopTask/Timing/idle``, the slice of 4
  /// ms ends this one. A task may make this call, which then runs what is in line for that timing: of its own batch,
  /// too, and what the task itself has scheduled.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. Async code may be on any thread, so let a
  ///   task of the loop make the call there.
  /// - Parameters:
  ///   - timing: the timing of the tasks.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: `true` if a task ran.
  @discardableResult
  public func runTasks(of timing: RunLoopTask.Timing, fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
    scheduler(for: Call("RunLoop.runTasks(of:)", fileID, line)).runTasks(of: timing)
  }

  /// Returns the current thread's scheduler. Traps if that serves another loop, or no loop runs in the mode.
  func scheduler(toDriveIn mode: RunLoop.Mode, for call: Call) -> Scheduler {
    let scheduler = scheduler(for: call)
    if mode == .common {
      call.stop("needs a single mode: .common stands for several, pass .default or one of the others")
    }
    scheduler.noteIfCommon(scheduler.id(of: mode))
    return scheduler
  }
}
