import Foundation

extension RunLoop {
  /// Runs exactly one pass of the loop, without blocking.
  ///
  /// The loop enters a run and serves the timers and sources that are ready. It then goes through `beforeWaiting`,
  /// `afterWaiting` and `exit`, each once; `beforeTimers` and `beforeSources` come twice or more often. Tasks that you
  /// scheduled before the call run in this order:
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
  /// `beforeWaiting`, and the pass ends after about a hundred rounds.
  ///
  /// > Warning: On Linux, Swift Testing's runner runs the main run loop only with `RunLoopMain`:
  /// > <doc:Testing#The-main-loop>.
  ///
  /// > Warning: UIKit doesn't allow nested runs in its update. Don't run a pass of the main loop from
  /// > `layoutSubviews`, a display link or a gesture handler: with current SDKs UIKit may end the app.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps, and in async code it doesn't compile.
  ///   `.common` also traps, because no loop runs in that mode.
  /// - Parameters:
  ///   - mode: the mode to run in.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: `true` if a task ran. Timers, sources and Foundation's own blocks do not count.
  @discardableResult
  @available(*, noasync, message: "Let the loop do it: `try await queue.run { RunLoop.current.runPass() }`")
  public func runPass(mode: RunLoop.Mode = .default, fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
    driver(in: mode, Call("RunLoop.runPass(mode:)", fileID, line)).runPass(in: mode)
  }

  /// Runs passes until no task is pending in the mode.
  ///
  /// If all pending tasks are delayed, the loop sleeps until the earliest delay ends. The call doesn't wait for tasks
  /// that other threads have yet to schedule, so it returns immediately if no task is pending. Nor does it wait for
  /// commands of a ``RunLoopSource``, which aren't tasks: wait for what these cause with `runUntil`.
  ///
  /// ```swift
  /// RunLoop.main.perform(when: .idle, after: .seconds(2)) { print("saved") }
  /// RunLoop.main.runUntilTasksFinish()  // saves before the program ends
  /// ```
  ///
  /// It takes as long as the tasks do. In a test, which must not hang, use
  /// ``runUntilTasksFinish(mode:timeout:fileID:line:)``.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps, and in async code it doesn't compile.
  ///   `.common` also traps, because no loop runs in that mode.
  /// - Parameters:
  ///   - mode: the mode to run in.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  @available(*, noasync, message: "Let the loop do it: `try await queue.run { RunLoop.current.runUntilTasksFinish() }`")
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
  /// - Important: Call it on the loop's own thread; on any other thread it traps, and in async code it doesn't compile.
  ///   `.common` also traps, because no loop runs in that mode.
  /// - Parameters:
  ///   - mode: the mode to run in.
  ///   - timeout: the longest time to run. The loop always finishes the pass in progress, and runs at least one pass if
  ///     tasks are pending.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: `true` if no task is pending in the mode; `false` if the timeout has ended the call.
  @available(*, noasync, message: "Let the loop do it: `try await queue.run { RunLoop.current.runUntilTasksFinish() }`")
  public func runUntilTasksFinish(
    mode: RunLoop.Mode = .default, timeout: Duration, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Bool {
    let scheduler = driver(in: mode, Call("RunLoop.runUntilTasksFinish", fileID, line))
    let deadline = Deadline.end(of: timeout)
    let id = scheduler.id(of: mode)
    func haveFinished() -> Bool {
      scheduler.lookAnew()
      return !scheduler.hasPendingTasks(in: id)
    }
    while !haveFinished() {
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
  /// also waits in an empty mode, because another thread may schedule a task.
  ///
  /// ```swift
  /// RunLoop.main.runUntil { isDone }  // the main loop of a program
  /// ```
  ///
  /// It lasts as long as it takes. In a test, which must not hang, use ``runUntil(mode:timeout:_:fileID:line:)``.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps, and in async code it doesn't compile.
  ///   `.common` also traps, because no loop runs in that mode.
  /// - Parameters:
  ///   - mode: the mode to run in.
  ///   - condition: a check that the loop makes often, on this thread. It should be quick.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  @available(*, noasync, message: "Let the loop do it: `try await queue.run { RunLoop.current.runUntil { … } }`")
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
  /// - Important: Call it on the loop's own thread; on any other thread it traps, and in async code it doesn't compile.
  ///   `.common` also traps, because no loop runs in that mode.
  /// - Parameters:
  ///   - mode: the mode to run in.
  ///   - timeout: the longest time to wait. With zero or less, the call doesn't wait.
  ///   - condition: a check that the loop makes often, on this thread. It should be quick.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: whether the condition holds.
  @available(*, noasync, message: "Let the loop do it: `try await queue.run { RunLoop.current.runUntil { … } }`")
  public func runUntil(
    mode: RunLoop.Mode = .default, timeout: Duration, _ condition: () -> Bool, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Bool {
    _ = driver(in: mode, Call("RunLoop.runUntil", fileID, line))
    return withoutActuallyEscaping(condition) { DrivenRun.runUntil($0, in: mode, .end(of: timeout)) }
  }

  /// Advances the loop's task clock without waiting.
  ///
  /// The delays, limits and intervals that end within this time end in order, with a pass for each date. One more pass
  /// follows. A test of delayed code therefore waits for nothing:
  ///
  /// ```swift
  /// field.type("swift")  // searches 300 ms after the last letter
  /// #expect(!RunLoop.current.advance(by: .milliseconds(200)))
  /// #expect(RunLoop.current.advance(by: .milliseconds(100)))
  /// ```
  ///
  /// Foundation's timers and dates do not change. The task clock stands still during these passes and runs on from its
  /// new time afterwards. Leave room between the dates of a test for the time that the test itself takes. The clock
  /// also runs on while a nested run sleeps, but not in one that only polls.
  ///
  /// Async code gets as far as it can before each date and at the end, so code that sleeps on
  /// ``RunLoopTaskQueue/clock`` also advances, exactly: an hour has 3,600 sleeps of a second, also on a busy machine.
  /// While passes find blocks of the main queue, or jobs of the ``RunLoopThread`` whose loop this is, more passes
  /// follow, a thousand at most. One pass precedes the first date if async code waits for a task that is in line, and
  /// on the main loop, where only a pass can find such blocks; there one more follows each date.
  ///
  /// Such code comes back over threads that Swift shares, for which the call waits in real time. If nothing goes on for
  /// half a second, or only other work of the process for ten, or after a thousand passes, the call waits no longer,
  /// and says so on standard error: [Async code](doc:Testing#Async-code).
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps, and in async code it doesn't compile.
  ///   `.common`, in which no loop runs, also traps, and so does a negative duration.
  /// - Parameters:
  ///   - duration: the time to advance the clock by. All calls together advance it by 100 years at most.
  ///   - mode: the mode in which the passes run.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: whether any task ran.
  @discardableResult
  @available(*, noasync, message: "Let the loop do it: `try await queue.run { RunLoop.current.advance(by: …) }`")
  public func advance(
    by duration: Duration, mode: RunLoop.Mode = .default, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Bool {
    let call = Call("RunLoop.advance(by:mode:)", fileID, line)
    let scheduler = driver(in: mode, call)
    if duration < .zero { call.stop("needs a duration of zero or more, not \(duration): time does not go back") }
    return scheduler.advance(by: duration, in: mode, call)
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
  /// On iOS, tvOS and visionOS, `UIUpdateLink.addRunLoopTasks(to:)` makes this call before each commit:
  /// <doc:InTheSameFrame>.
  ///
  /// The tasks run as one batch, as at their activity: the tasks of the mode in which the loop runs, or of the default
  /// mode outside a run, in their order, and with them tasks of any timing whose limit has passed. What they schedule
  /// waits for the next batch, and the ``RunLoopTaskQueue/budget`` ends this one. A task may make this call, which then
  /// runs the remaining tasks of its own batch that have this timing.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps.
  /// - Parameters:
  ///   - timing: the timing of the tasks.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: `true` if a task ran.
  @discardableResult
  public func runTasks(of timing: RunLoopTask.Timing, fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
    scheduler(for: Call("RunLoop.runTasks(of:)", fileID, line)).runTasks(of: timing)
  }

  private func driver(in mode: RunLoop.Mode, _ call: Call) -> Scheduler {
    let scheduler = scheduler(for: call)
    if mode == .common {
      call.stop("needs a single mode: .common stands for several, pass .default or one of the others")
    }
    return scheduler
  }
}
