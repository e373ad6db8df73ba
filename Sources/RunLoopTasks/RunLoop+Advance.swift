import Foundation

extension RunLoop {
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
  /// also runs on while a nested run sleeps.
  ///
  /// Async code gets as far as it can before each date and at the end: while passes find blocks of the main queue, or
  /// jobs of the ``RunLoopThread`` whose loop this is, more passes follow, a thousand at most. Code that sleeps on
  /// ``RunLoopTaskQueue/clock`` therefore advances, too: [Async code](doc:TestingCodeThatUsesARunLoop#Async-code). Only
  /// a pass can find such blocks on the main loop, so one pass precedes the first date there.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps, and in async code it doesn't compile.
  ///   `.common`, in which no loop runs, and a negative duration trap, too.
  /// - Parameters:
  ///   - duration: the time to advance the clock by. The clock stops at its latest date, after 292 years.
  ///   - mode: the mode in which the passes run.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: whether any task ran.
  @discardableResult
  @available(
    *, noasync,
    message:
      "In async code, drive the loop from its own tasks: `try await queue.run { RunLoop.current.advance(by: …) }`"
  )
  public func advance(
    by duration: Duration, mode: RunLoop.Mode = .default, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Bool {
    let scheduler = driver(in: mode, "RunLoop.advance(by:mode:)", fileID, line)
    guard duration >= .zero else {
      fatalError(
        "RunLoop.advance(by:mode:) needs a duration of zero or more, not \(duration): time does not go back",
        file: fileID, line: line)
    }
    // The scheduler of ended loops belongs to several threads.
    guard scheduler.hasLoop else { return runPass(scheduler, mode) }
    let (tasksRunBefore, isNested) = (scheduler.tasksRun, scheduler.clock.isFrozen)
    var passes = AdvancedPasses(of: self, scheduler, mode)
    passes.freezeClock()
    let end = scheduler.clock.date(after: duration)
    passes.letAsyncCodeRun()
    while let alarm = passes.earliestAlarm, alarm <= end { passes.makePasses(at: alarm) }
    passes.makePasses(at: end)
    scheduler.hasWaitedInVain = passes.sharedThreads.areBlocked
    if !isNested { scheduler.clock.resume() }
    return scheduler.tasksRun > tasksRunBefore
  }
}

/// The passes of one `advance(by:)`.
private struct AdvancedPasses {
  private let loop: RunLoop
  private let scheduler: Scheduler
  private let mode: RunLoop.Mode
  /// Of the main loop.
  private let mainQueue: MainQueueMarker?
  /// Of the thread whose loop this is.
  private let thread: RunLoopThread.Core?
  private(set) var sharedThreads: SharedThreads

  init(of loop: RunLoop, _ scheduler: Scheduler, _ mode: RunLoop.Mode) {
    (self.loop, self.scheduler, self.mode) = (loop, scheduler, mode)
    // Neither the main queue nor the jobs of a thread are served in a mode that is no common mode.
    let isCommon = mode == .default || scheduler.isCommon(scheduler.id(of: mode))
    mainQueue = isCommon && loop === RunLoop.main ? MainQueueMarker() : nil
    thread = isCommon ? RunLoopThread.Core.current : nil
    sharedThreads = SharedThreads(patience: scheduler.hasWaitedInVain ? 0.01 : 0.5)
  }

  mutating func freezeClock() {
    // What begins to sleep while the clock is being frozen may be ahead of it, and would sleep beyond the end.
    if mainQueue != nil || thread != nil { sharedThreads.letJobsEnd() }
    scheduler.clock.freeze(at: scheduler.clock.now)
  }

  /// Lets the async code that is ready now get as far as it can.
  mutating func letAsyncCodeRun() { makePasses(atLeastOne: mainQueue != nil) }

  /// Makes a pass at a date, and lets async code get as far as it can.
  mutating func makePasses(at date: Int64) {
    scheduler.clock.freeze(at: date)
    scheduler.catchUp()
    makePasses(atLeastOne: true)
  }

  private mutating func makePasses(atLeastOne: Bool) {
    var mustMake = atLeastOne
    for _ in 1...1_000 {
      let (hasJobs, callersBefore) = (thread?.hasReadyJobs == true, scheduler.callersResumed)
      guard mustMake || hasJobs else { return }
      loop.runPass(scheduler, mode, mainQueue)
      let mayGoOn = hasJobs || scheduler.callersResumed != callersBefore || mainQueue?.mayHaveServedBlocks == true
      if mayGoOn { sharedThreads.letJobsEnd() }  // without optimization, even code of an actor passes by them
      mustMake = mayGoOn && (mainQueue != nil || earliestAlarm.map { $0 <= scheduler.clock.now } ?? false)
    }
  }

  /// When the earliest delay, limit or interval of a task ends.
  var earliestAlarm: Int64? {
    scheduler.catchUp()
    return scheduler.pending.alarms.earliest
  }
}
