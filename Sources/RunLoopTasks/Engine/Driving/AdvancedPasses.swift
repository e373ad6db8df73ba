import Foundation

/// The passes of one `advance(by:)`.
struct AdvancedPasses {
  private let scheduler: Scheduler
  private let mode: RunLoop.Mode
  private let call: Call
  private let start: Int64
  /// Of the main loop.
  private let mainQueue: MainQueueMarker?
  /// Of the thread whose loop this is.
  private let thread: RunLoopThread.Core?
  /// What is left for callers, since the call began to wait for them and async code has not gone on; `nil` before that.
  private var patience: Patience?
  private var hasGivenUp = false

  /// - Parameter mode: the mode of the passes.
  init(of scheduler: Scheduler, in mode: RunLoop.Mode, _ call: Call) {
    (self.scheduler, self.mode, self.call, start) = (scheduler, mode, call, scheduler.clock.now)
    // Neither the main queue nor the jobs of a thread are served in a mode that is no common mode.
    let isCommon = scheduler.isCommon(scheduler.id(of: mode))
    mainQueue = isCommon && scheduler.isOfMainLoop ? MainQueueMarker() : nil
    thread = isCommon ? RunLoopThread.Core.current : nil
  }

  /// Lets the async code that is ready now get as far as it can, before the time moves. Code that waits for a task in
  /// line is ready, too.
  mutating func letAsyncCodeRun() {
    if mainQueue != nil || thread != nil || scheduler.callers.mayCome { letJobsEnd() }  // the jobs may begin sleeps
    makePasses(atLeastOne: mainQueue != nil || scheduler.hasAwaitedTasksInLine(in: mode), haveJobsEnded: true)
  }

  /// Makes a pass at a date, and lets async code get as far as it can.
  mutating func makePasses(at date: Int64) {
    scheduler.changeClock { $0.freeze(at: date) }
    makePasses(atLeastOne: true, haveJobsEnded: false)
  }

  /// Makes passes as long as async code goes on in them, or callers are on their way.
  ///
  /// - Parameter haveJobsEnded: whether the first pass begins when the jobs on the shared threads have ended.
  private mutating func makePasses(atLeastOne: Bool, haveJobsEnded: Bool) {
    var (mustMakePass, haveJobsEnded, passes) = (atLeastOne, haveJobsEnded, 0)
    var steps = scheduler.callers.steps
    while true {
      var haveBlocksRun = false
      if mustMakePass || thread?.jobSource.isReady == true {
        scheduler.runPass(in: mode, finding: mainQueue)
        haveBlocksRun = mainQueue?.mayHaveServedBlocks == true
      }
      let hasGoneOn = haveBlocksRun || scheduler.callers.steps != steps
      if hasGoneOn { (patience, passes) = (nil, passes + 1) }
      if passes == Self.most { return giveUp("async code that still goes on after \(Self.most) passes") }
      steps = scheduler.callers.steps
      if areCallersOnTheirWay {
        letCallersCome()
        haveJobsEnded = false
      } else if hasGoneOn || !haveJobsEnded && (mainQueue != nil || scheduler.callers.mayCome) {
        // A block that comes while a pass of the main loop goes on may be served without being found. So the last pass
        // is one that begins when jobs have ended.
        letJobsEnd()
        haveJobsEnded = true
      } else {
        return
      }
      mustMakePass = mainQueue != nil || scheduler.canRunTasks(in: mode)
    }
  }

  private static let most = 1_000

  /// Says, once a process, that async code cannot go on inside this call, if some waits there.
  func reportBlockedCode() {
    if let thread, thread.isInJob {
      let hasJobs = thread.jobSource.state.withLock { !$0.commands.isEmpty }
      if hasJobs || scheduler.isAwaited() { AdvanceReport.reportCallInJob(call) }
    } else if let mainQueue, mainQueue.isStuck {
      if scheduler.isAwaited() { return AdvanceReport.reportCallInJob(call) }
      // What waits in the main queue begins before the marker is served. Only code that waits for the loop then counts.
      let (waits, scheduler, call) = (scheduler.callers.waits, scheduler, call)
      mainQueue.whenServed = { if scheduler.callers.waits != waits { AdvanceReport.reportCallInJob(call) } }
    }
  }

  /// Whether callers are on their way that can go on while this call lasts.
  private var areCallersOnTheirWay: Bool {
    let areJobsServed = mainQueue?.isStuck == false || thread?.isInJob == false
    return !hasGivenUp && scheduler.callers.areOnTheirWay(own: areJobsServed)
  }

  /// Gives callers that are on their way some time.
  private mutating func letCallersCome() {
    guard patience != nil else {
      letJobsEnd(meetings: 1)
      return patience = Patience()
    }
    Thread.sleep(forTimeInterval: 0.001)  // they have left the shared threads, or are on blocked ones
    patience?.noteWait()
    if patience?.isOver == true {
      giveUp("callers that were resumed and have not gone on, because other code blocks their threads")
    }
  }

  /// Waits until the jobs that are under way on the shared threads are over.
  ///
  /// Code comes back by one job, which ends before the first meeting, or by two in `Task.yield()`, the second of which
  /// comes behind the jobs of that meeting. Four leave room for twice that.
  private mutating func letJobsEnd(meetings: Int = 4) {
    for _ in 1...meetings where !hasGivenUp {
      if !SharedThreads.pool.letJobsEnd() {
        giveUp("the threads that Swift's async code shares, because other code blocks them")
      }
    }
  }

  /// Says what the call waited for, and waits for nothing more.
  private mutating func giveUp(_ what: String) {
    if !hasGivenUp {
      let date = Duration.nanoseconds(scheduler.clock.now - start)
      AdvanceReport("has waited in vain, after \(date) of its time, for \(what)", of: call).send()
    }
    hasGivenUp = true
  }
}
