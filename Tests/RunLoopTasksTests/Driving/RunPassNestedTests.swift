import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Testing

/// Runs nested in `RunLoop.runPass`.
@Suite(.onOwnLoop) struct RunPassNestedTests {
  let log = Log()

  enum Nesting: CaseIterable { case passInATask, runInATask, runInASource }

  @Test(arguments: Nesting.allCases)
  func aRunNestedInAPassReturnsIfNothingIsPendingAndThePassGoesOn(_ nesting: Nesting) {
    logActivities(log)
    @Sendable func nest() {
      log("{")
      if nesting == .passInATask { RunLoop.current.runPass() } else { run() }
      log("}")
    }
    if nesting == .runInASource {
      addSource { source, _ in
        source.invalidate()
        nest()
      }.send(0)
    } else {
      RunLoop.current.perform(nest).when(.currentLoopEnded)
    }
    RunLoop.current.runPass()
    let before = nesting == .runInASource ? ["entry"] : ["entry", "beforeWaiting"]
    #expect(log.events == before + ["{"] + emptyPass + ["}"] + emptyPass.dropFirst(before.count))
  }

  enum Drive: CaseIterable { case runPass, runUntil, runUntilTasksFinish, advance }

  /// It runs the loop again and again, as long as the mode is not empty.
  @Test(arguments: Drive.allCases, RunLoopTask.Timing.allCases)
  func foundationsRunUntilFindsTheModeEmpty(drive: Drive, timing: RunLoopTask.Timing) {
    let isDone = Box(false)
    RunLoop.current.perform {
      RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.1))
      isDone.value = true
    }.when(timing)
    let runs = countRuns {
      switch drive {
      case .runPass: RunLoop.current.runPass()
      case .runUntil: RunLoop.current.runUntil { isDone.value }
      case .runUntilTasksFinish: RunLoop.current.runUntilTasksFinish()
      case .advance: RunLoop.current.advance(by: .seconds(1))
      }
    }
    #expect(isDone.value && runs <= 6)
  }

  /// In an empty mode the outer run then ends, and begins anew.
  @Test func runUntilGoesOnAfterABlockThatRunsTheLoop() {
    RunLoop.current.perform(inModes: [.default]) { RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.1)) }
    let runs = countRuns { #expect(!RunLoop.current.runUntil(timeout: .milliseconds(10)) { false }) }
    #expect(runs <= 6)
  }

  @Test(arguments: [RunLoop.Activity.entry, .exit])
  func runPassDoesNotStopANestedRun(activity: RunLoop.Activity) {
    keepAlive(.default)
    observeOnce(activity, order: Order.app) {
      addTimer(after: 0.02) { log.andStop("timer") }
      run()
      log("left")
    }
    RunLoop.current.runPass()
    #expect(log.events == ["timer", "left"])
  }

  /// The engine wakes a run that begins in a pass once, to check whether its mode is empty.
  @Test(arguments: [RunLoop.Activity.beforeSources, .beforeWaiting])
  func aRunNestedInAPassSleeps(activity: RunLoop.Activity) {
    keepAlive(.default)
    let passes = Counter()
    observeOnce(activity, order: Order.app) {
      addTimer(after: 0.005) { stopRun() }
      let counting = RunLoop.current.observe(.beforeWaiting, order: Order.first) { _ in passes.count() }
      run()
      counting.invalidate()
    }
    RunLoop.current.runPass()
    // On a busy machine the timer may fire before the wake-up.
    let mostPasses = 2 + passesOfACancelledTimer
    #expect((1...mostPasses).contains(passes.value))
  }
}
