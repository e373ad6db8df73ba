import Foundation

/// The passes of one `advance(by:)`.
struct AdvancedPasses {
  private let scheduler: Scheduler
  private let mode: RunLoop.Mode
  /// Of the main loop.
  private let mainQueue: MainQueueMarker?
  /// Of the thread whose loop this is.
  private let thread: RunLoopThread.Core?
  /// The seconds for which it may still wait for the threads that Swift's async code shares. A call through `any Clock`
  /// leaves its actor for these threads, and comes back with a job of its own.
  private var patience: Double

  init(of scheduler: Scheduler, in mode: RunLoop.Mode) {
    (self.scheduler, self.mode) = (scheduler, mode)
    // Neither the main queue nor the jobs of a thread are served in a mode that is no common mode.
    let isCommon = scheduler.isCommon(scheduler.id(of: mode))
    mainQueue = isCommon && scheduler.isOfMainLoop ? MainQueueMarker() : nil
    thread = isCommon ? RunLoopThread.Core.current : nil
    // Half a second is what one call may wait. Where the latest call has waited in vain, this one only tries.
    patience = scheduler.hasWaitedInVain ? 0.01 : 0.5
    scheduler.hasWaitedInVain = false
  }

  /// Lets the async code that is ready now get as far as it can, before the time moves. Code that waits for a task in
  /// line is ready, too.
  mutating func letAsyncCodeRun() {
    if mainQueue != nil || thread != nil { letJobsEnd() }  // may begin sleeps
    makePasses(atLeastOne: mainQueue != nil || scheduler.hasAwaitedTasksInLine(in: mode), haveJobsEnded: true)
  }

  /// Makes a pass at a date, and lets async code get as far as it can.
  mutating func makePasses(at date: Int64) {
    scheduler.changeClock { $0.freeze(at: date) }
    makePasses(atLeastOne: true, haveJobsEnded: false)
  }

  /// Makes passes as long as async code goes on in them.
  ///
  /// - Parameter haveJobsEnded: whether the first pass begins when the jobs on the shared threads have ended.
  private mutating func makePasses(atLeastOne: Bool, haveJobsEnded: Bool) {
    var (mustMakePass, haveJobsEnded) = (atLeastOne, haveJobsEnded)
    for _ in 1...1_000 {
      guard mustMakePass || thread?.jobSource.isReady == true else { return }
      let before = continuations
      scheduler.runPass(in: mode, finding: mainQueue)
      let mayCodeGoOn = continuations != before || mainQueue?.mayHaveServedBlocks == true
      // A block that comes while a pass of the main loop goes on may be served without being found. So the last pass is
      // one that begins when jobs have ended.
      let isLast = !mayCodeGoOn && (mainQueue == nil || haveJobsEnded)
      if !isLast { letJobsEnd() }
      haveJobsEnded = true
      mustMakePass = !isLast && (mainQueue != nil || scheduler.canRunTasks(in: mode))
    }
  }

  /// Waits until the jobs that are under way on the shared threads are over.
  ///
  /// If other code blocks threads, perhaps because it waits for the caller, this gives up, and does not wait again.
  private mutating func letJobsEnd() {
    // Code comes back by one job, which ends before the first meeting, or by two in `Task.yield()`, the second of which
    // comes behind the jobs of that meeting. Four leave room for twice that.
    for _ in 1...4 where patience > 0 {
      let start = ContinuousClock.now
      scheduler.hasWaitedInVain = !SharedThreads.pool.letJobsEnd(atMost: patience)
      patience = scheduler.hasWaitedInVain ? 0 : patience - (ContinuousClock.now - start) / .seconds(1)
    }
  }

  /// The number of times that the loop has let async code go on.
  private var continuations: Int { scheduler.continuations.load(ordering: .relaxed) }
}
