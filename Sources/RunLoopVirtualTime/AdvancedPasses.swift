import Foundation
import RunLoopTasks

extension SteppedLoop {
  /// Lets time pass on the loop's clock.
  ///
  /// - Returns: whether a task ran.
  func advance(by duration: Duration, _ call: Call) -> Bool {
    guard exists else { return false }
    let (tasksRunBefore, isNested) = (tasksRun, stopClock())
    callers.beginAdvance()
    var passes = AdvancedPasses(of: self, call)
    let end = date(after: duration)
    JobOwner.advancedLoop.withValue(passes.owner.kind == .loop ? passes.owner : nil) {
      passes.makePasses(at: now)  // what is in line runs at the date at which it is there
      var (date, isLast) = (Int64.min, false)
      while !isLast {
        let next = nextDate
        // If the last date is also the end, one more pass follows there.
        isLast = date == end || next > end
        date = min(next, end)
        passes.makePasses(at: date)
      }
    }
    callers.endAdvance()
    passes.reportBlockedCode()
    if !isNested { letClockRun() }
    return tasksRun > tasksRunBefore
  }
}

/// The passes of one `advance(by:)`.
struct AdvancedPasses {
  private let loop: SteppedLoop
  private let call: Call
  private let start: Int64
  /// Of the main loop.
  private let mainQueue: MainQueueMarker?
  /// What is left for callers, since the call began to wait for them and async code has not gone on; `nil` before that.
  private var patience: Patience?
  private var (hasGivenUp, hasToldOfBusyThread) = (false, false)
  let owner: JobOwner
  /// The rounds for jobs of others, at one date.
  private var mostForOthers = JobTimes.shared.knowsTests ? mostForUnknown : mostForOthers
  /// All jobs that concern the call are seen, as far as the runtime tells.
  private let seesJobs = JobHook.watch()
  /// How many meetings had begun when jobs may have come unseen.
  private var latestJobs = JobTimes.never

  init(of loop: SteppedLoop, _ call: Call) {
    (self.loop, self.call, start) = (loop, call, loop.now)
    owner = JobTimes.shared.owner(advancing: JobOwner(loop: ObjectIdentifier(RunLoop.current)))
    mainQueue = loop.servesMainQueue ? MainQueueMarker(loop.mode) : nil
  }

  /// Makes a pass at a date, and more as long as async code goes on in them, callers are on their way, or jobs come
  /// that such may follow.
  mutating func makePasses(at date: Int64) {
    loop.moveClock(to: date)
    if !seesJobs { latestJobs = JobTimes.shared.now }
    var (mustMakePass, isFirst, passes, rounds) = (true, true, 0, Rounds())
    var steps = loop.callers.steps
    while true {
      let wasQuiet = jobs(rounds) == .none
      var haveBlocksRun = false
      if mustMakePass || loop.jobs?.areReady == true {
        runPass()
        haveBlocksRun = mainQueue?.mayHaveServedBlocks == true
      }
      if haveBlocksRun || loop.callers.steps != steps {
        (patience, passes, rounds) = (nil, passes + 1, Rounds())
        latestJobs = JobTimes.shared.now  // of those that may have followed unseen
      }
      if passes == Self.mostPasses {
        return giveUp("async code that still goes on after \(passes) passes at one date: \(Self.endless)")
      }
      steps = loop.callers.steps
      if areCallersOnTheirWay {
        letCallersCome()
      } else {
        switch jobs(rounds) {
        case .own:
          letOwnJobsEnd()
          rounds.own += 1
          if rounds.own == Self.mostRounds {
            return giveUp("async code that still goes on after \(rounds.own) rounds of waiting: \(Self.endless)")
          }
        case .others:
          letJobsOfOthersEnd()
          rounds.others += 1
          if rounds.others == Self.mostForUnknown { tellOfUnknownJobs() }
        // A block that comes while a pass of the main loop goes on may be served without being found. So the last pass
        // there is a further one, which begins when jobs have ended.
        case .none: if mainQueue == nil || !isFirst && wasQuiet { return }
        }
      }
      // What the loop's own code has scheduled waits for a pass that is made anyway, as after `runPass`.
      (mustMakePass, isFirst) = (mainQueue != nil || loop.hasMessages && loop.canRunTasks, false)
    }
  }

  /// The rounds at one date in which the call has waited for jobs, and nothing else has happened.
  private struct Rounds { var (own, others) = (0, 0) }

  // Code that polls never ends. A long stream that the loop's own code reads takes a pass or two for each element.
  private static let mostPasses = 2_500
  private static let mostRounds = 1_000
  // Jobs of others may never end. If they are what the call waits for, they are few. Where there are tests, they may as
  // well be the caller's own. So it waits longer, until they are seen not to end, and says so.
  private static let mostForOthers = 8
  private static let mostForUnknown = 100
  private static let endless = "if it polls, as with Task.yield(), let it sleep on the loop's clock instead"

  /// The jobs that the call must wait for.
  private func jobs(_ rounds: Rounds) -> JobTimes.Jobs {
    if hasGivenUp { return .none }
    let jobs = JobTimes.shared.jobs(concerning: owner, latest: latestJobs)
    return jobs == .others && rounds.others >= mostForOthers ? .none : jobs
  }

  private func runPass() {
    mainQueue?.beginPass()
    loop.runPass(watch: mainQueue.map { mainQueue in { mainQueue.note($0) } })
  }

  /// Says, once a process, that async code cannot go on inside this call, if some waits there.
  func reportBlockedCode() {
    if let jobs = loop.jobs, jobs.isOneUnderWay {
      if jobs.areWaiting || loop.isAwaited { AdvanceReport.reportCallInJob(call) }
    } else if let mainQueue, mainQueue.isStuck {
      if loop.isAwaited { return AdvanceReport.reportCallInJob(call) }
      // What waits in the main queue begins before the marker is served. Only code that waits for the loop then counts.
      let (waits, loop, call) = (loop.callers.waits, loop, call)
      mainQueue.whenServed = { if loop.callers.waits != waits { AdvanceReport.reportCallInJob(call) } }
    }
  }

  /// Whether callers are on their way that can go on while this call lasts.
  private var areCallersOnTheirWay: Bool {
    let areJobsServed = mainQueue?.isStuck == false || loop.jobs?.isOneUnderWay == false
    return !hasGivenUp && loop.callers.areOnTheirWay(own: areJobsServed)
  }

  /// Gives callers that are on their way some time.
  private mutating func letCallersCome() {
    guard patience != nil else {
      letOwnJobsEnd()
      return patience = Patience()
    }
    Thread.sleep(forTimeInterval: 0.001)  // they have left the shared threads, or are on blocked ones
    patience?.noteWait()
    if patience?.isOver == true {
      giveUp(
        "callers that were resumed and have not gone on, because other code blocks their threads: \(Self.blocking)")
    }
  }

  /// Waits until the jobs that are under way on the shared threads are over.
  private mutating func letOwnJobsEnd() {
    if letJobsEnd() == .onNoThread {
      giveUp("the threads that Swift's async code shares, because other code blocks them: \(Self.blocking)")
    }
  }

  private mutating func letJobsOfOthersEnd() {
    guard letJobsEnd() == .onNoThread else { return }
    if mostForOthers == Self.mostForUnknown {
      let what = "async code that may not be the test's, because other code blocks the threads that such code shares"
      report("no longer waits", "\(what): \(Self.blocking)").write()
    }
    mostForOthers = 0
  }

  private mutating func letJobsEnd() -> SharedThreads.End {
    let end = SharedThreads.pool.letJobsEnd()
    if end == .onAllButBusyThreads, !exchange(&hasToldOfBusyThread, with: true) {
      report("no longer waits", "a job that has kept a thread busy for a second: await it in the test").write()
    }
    return end
  }

  private static let blocking = "async code must not wait for a semaphore, a lock or another thread"

  /// Says that the call waits no longer for these.
  private mutating func tellOfUnknownJobs() {
    let remedy = "if it is the test's, let the test await it, or start it in a Task of its own"
    let what =
      "async code that may not be the test's, and that still goes on after \(mostForOthers) rounds: \(remedy)"
    report("no longer waits", what).write()
    mostForOthers = Self.mostForOthers
  }

  /// Says what the call waited for, and waits for nothing more.
  private mutating func giveUp(_ what: String) {
    if !exchange(&hasGivenUp, with: true) { report("has waited in vain", what).send() }
  }

  private func report(_ verb: String, _ what: String) -> AdvanceReport {
    AdvanceReport("\(verb), \(Duration.nanoseconds(loop.now - start)) into the advance, for \(what)", of: call)
  }
}
