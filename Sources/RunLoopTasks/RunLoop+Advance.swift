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
  /// new time afterwards, so leave room between the dates of a test for the time that the test itself takes. A nested run
  /// that sleeps lets the clock run on earlier.
  ///
  /// Async code gets as far as it can before each date and at the end: while passes find blocks of the main queue, or
  /// jobs of the ``RunLoopThread`` whose loop this is, more passes follow, a thousand at most. Code that sleeps on
  /// ``RunLoopTaskQueue/clock`` therefore advances, too: [Async code](doc:TestingCodeThatUsesARunLoop#Async-code). A pass
  /// on the main loop is the only way to find such blocks, so there one pass precedes the first date.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it stops the program. `.common`, in which no
  ///   loop runs, and a negative duration stop the program, too.
  /// - Parameters:
  ///   - duration: the time to advance the clock by. The clock stops at its last date, after some 290 years.
  ///   - mode: the mode in which the passes run.
  /// - Returns: whether any task ran.
  @discardableResult
  public func advance(by duration: Duration, mode: RunLoop.Mode = .default) -> Bool {
    let scheduler = driver(in: mode, "RunLoop.advance(by:mode:)")
    guard duration >= .zero else {
      fatalError("RunLoop.advance(by:mode:) needs a duration of zero or more, not \(duration): time does not go back")
    }
    // The scheduler of ended loops belongs to several threads.
    guard scheduler.hasLoop else { return runPass(mode: mode) }
    let (tasksRunBefore, isNested) = (scheduler.tasksRun, scheduler.clock.isFrozen)
    let passes = AdvancedPasses(of: self, scheduler, mode)
    scheduler.clock.freeze(at: scheduler.clock.now)
    let end = scheduler.clock.date(after: duration)
    passes.letAsyncCodeRun()
    while let alarm = scheduler.earliestAlarm, alarm <= end { passes.makePasses(at: alarm) }
    passes.makePasses(at: end)
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

  init(of loop: RunLoop, _ scheduler: Scheduler, _ mode: RunLoop.Mode) {
    (self.loop, self.scheduler, self.mode) = (loop, scheduler, mode)
    // Neither the main queue nor the jobs of a thread are served in a mode that is no common mode.
    let isCommon = mode == .default || scheduler.isCommon(scheduler.id(of: mode))
    mainQueue = isCommon && loop === RunLoop.main ? MainQueueMarker() : nil
    thread = isCommon ? RunLoopThread.Core.current : nil
  }

  /// Lets the async code that is ready now get as far as it can.
  func letAsyncCodeRun() {
    guard mainQueue != nil || thread != nil else { return }
    SharedThreads.letJobsEnd()
    makePasses(atLeastOne: mainQueue != nil)
  }

  /// Makes a pass at a date, and lets async code get as far as it can.
  func makePasses(at date: Int64) {
    scheduler.clock.freeze(at: date)
    scheduler.letTimePass()  // the pass does not call this in a mode that the package has never used
    makePasses(atLeastOne: true)
  }

  private func makePasses(atLeastOne: Bool) {
    var mustMake = atLeastOne
    for _ in 1...1_000 where mustMake || hasReadyJobs {
      let (hadJobs, callersBefore) = (hasReadyJobs, scheduler.callersResumed)
      loop.runPass(scheduler, mode, mainQueue)
      let mayGoOn = hadJobs || scheduler.callersResumed != callersBefore || mainQueue?.mayHaveServedBlocks == true
      if mayGoOn { SharedThreads.letJobsEnd() }
      mustMake = mayGoOn && (mainQueue != nil || scheduler.earliestAlarm.map { $0 <= scheduler.clock.now } ?? false)
    }
  }

  private var hasReadyJobs: Bool { thread?.hasReadyJobs ?? false }
}

extension Scheduler {
  /// When the earliest delay, limit or interval ends.
  fileprivate var earliestAlarm: Int64? {
    readMessages()
    return pending.earliestAlarm
  }
}
