import Foundation
import RunLoopTasks
import Testing

/// A task may run its loop, and the due tasks run there. No run sleeps on a due task after that.
///
/// The runs have no limit, so a loop that sleeps on a due task hits the watchdog. The search tries many more such runs.
@Suite(.onOwnLoop) struct NestedRunTests {
  let log = Log()

  @Test(arguments: RunLoopTask.Timing.allCases)
  func anInterruptedBatchContinuesInTheNestedRun(timing: RunLoopTask.Timing) {
    RunLoop.current.perform {
      log("first{")
      RunLoop.current.runPass()
      log("}")
    }.when(timing)
    RunLoop.current.perform { log("second") }.when(timing)
    RunLoop.current.perform { log("third") }.when(timing)
    run()
    #expect(log.events == ["first{", "second", "third", "}"])
  }

  @Test(arguments: RunLoopTask.Timing.allCases, RunLoopTask.Timing.allCases)
  func runsNestToAnyDepthAtEveryActivity(outer: RunLoopTask.Timing, inner: RunLoopTask.Timing) {
    func nest(_ depth: Int) {
      log("\(depth){")
      if depth < 4 {
        RunLoop.current.perform { nest(depth + 1) }.when(depth.isMultiple(of: 2) ? outer : inner)
        RunLoop.current.runPass()
      }
      log("}\(depth)")
    }
    RunLoop.current.perform { nest(0) }.when(inner)
    RunLoop.current.runPass()
    #expect(log.events == ["0{", "1{", "2{", "3{", "4{", "}4", "}3", "}2", "}1", "}0"])
  }

  // MARK: the outer run does not sleep on a task if the nested run has consumed the wake-up

  enum Nested: CaseIterable { case passInAnotherMode, poll, pollOfATaskOfTheCommonModes }

  @Test(arguments: Nested.allCases, [Order.app, Order.frame])
  func theOuterRunWakesAfterARunNestedInAnObserver(_ nested: Nested, order: Int) {
    keepAlive(.default, .custom)
    let mode: RunLoop.Mode = nested == .pollOfATaskOfTheCommonModes ? .common : .default
    if nested == .passInAnotherMode {
      RunLoop.current.perform {}.when(.currentLoopEnded)
    } else {
      runTaskAndEmptyPasses(forMode: mode)
    }
    observeOnce(.beforeWaiting, order: order) {
      RunLoop.current.taskQueue.perform(forModes: [mode]) { log.andStop("task") }
      if nested == .passInAnotherMode { RunLoop.current.runPass(mode: .custom) } else { poll() }
    }
    run()
    #expect(log.events == ["task"])
  }

  /// The package does not know of the outer run then.
  @Test(arguments: RunLoopTask.Timing.allCases)
  func aRunNestedInOneThatATimerWokeBeforeTheFirstUseDoesNotSleepOnABacklog(timing: RunLoopTask.Timing) {
    keepAlive(.default)
    observeOnce(.afterWaiting) {
      let queue = RunLoop.current.taskQueue
      queue.budget = .nanoseconds(1)
      queue.perform(when: timing) { log("first") }
      queue.perform(when: timing) { log.andStop("second") }
      run()
      stopRun()
    }
    addTimer()
    run()
    #expect(log.events == ["first", "second"])
  }
}
