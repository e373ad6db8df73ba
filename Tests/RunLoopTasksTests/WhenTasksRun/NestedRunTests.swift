import Foundation
import Testing

@testable import RunLoopTasks

/// A task may run its loop, and the due tasks run there.
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

  @Test func runsNestInTasksThatRunAtEntry() {
    keepAlive(.default)
    func nest(_ depth: Int) {
      log("\(depth){")
      if depth < 3 {
        RunLoop.current.perform { nest(depth + 1) }.when(.nextLoopBegan)
        poll()  // makes the task due at the next entry
        poll()
      }
      log("}\(depth)")
    }
    nest(0)
    #expect(log.events == ["0{", "1{", "2{", "3{", "}3", "}2", "}1", "}0"])
  }

  @Test func tasksRunAtEveryActivityOfARunNestedInATask() {
    RunLoop.current.perform {
      log("{")
      RunLoop.current.perform { log("idle") }.when(.idle)
      RunLoop.current.perform { log("began") }.when(.nextLoopBegan)
      RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
      RunLoop.current.runPass()
      RunLoop.current.perform { log("began") }.when(.nextLoopBegan)
      poll()
      log("polled")
      poll()
      log("}")
    }.when(.currentLoopEnded)
    run()
    #expect(log.events == ["{", "ended", "began", "idle", "polled", "began", "}"])
  }

  @Test func aNestedRunInAnotherModeLeavesTheBatchToTheOuterRun() {
    RunLoop.current.perform {
      RunLoop.current.perform { log("custom") }.when(.currentLoopEnded).forModes(.custom)
      log("{")
      RunLoop.current.runPass(mode: .custom)
      log("}")
    }.when(.currentLoopEnded)
    RunLoop.current.perform { log("second") }.when(.currentLoopEnded)
    run()
    #expect(log.events == ["{", "custom", "}", "second"])
  }

  @Test(arguments: RunLoopTask.Timing.allCases, RunLoopTask.Timing.allCases)
  func theFirstTaskOfAModeRunsInANestedRunUnderWay(outer: RunLoopTask.Timing, inner: RunLoopTask.Timing) {
    let source = Source(in: .custom) {
      RunLoop.current.perform { log.andStop("task") }.when(inner).forModes(.custom)
    }
    RunLoop.current.perform {
      source.signal()
      run(.custom)
    }.when(outer)
    run()
    log("returned")
    #expect(log.events == ["task", "returned"])
  }

  @Test func theFirstTaskOfAModeRunsInThePassOfTheNestedRunThatSchedulesIt() {
    keepAlive(.custom)
    let queue = RunLoop.current.taskQueue
    RunLoop.current.perform {
      logActivities(log, in: .custom)
      RunLoop.current.perform(inModes: [.custom]) {  // a block of Foundation
        queue.perform(when: .currentLoopEnded, forModes: [.custom]) { log.andStop("task") }
      }
      run(.custom)
    }.when(.currentLoopEnded)
    run()
    #expect(log.events == ["entry", "beforeWaiting", "task", "afterWaiting", "exit"])
  }

  // MARK: runs nested in a pass

  @Test func aRunNestedInAPassReturnsIfNothingIsPending() {
    RunLoop.current.perform {
      logActivities(log)
      _ = RunLoop.current.run(mode: .default, before: .distantFuture)
      log("returned")
    }.when(.currentLoopEnded)
    RunLoop.current.runPass()
    #expect(log.events.prefix { $0 != "returned" } == ["entry", "beforeWaiting", "afterWaiting", "exit"])
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

  @Test func passesNestedAtEntryAreForgottenOnceTheyEnd() {
    keepAlive(.default, .custom)
    observeOnce(.entry, in: .custom, order: Order.app) {
      for _ in 1...3 { RunLoop.current.runPass(mode: .custom) }
    }
    RunLoop.current.perform {}.forModes(.custom)
    RunLoop.current.perform {}.when(.nextLoopBegan)
    RunLoop.current.runPass(mode: .custom)
    #expect(Scheduler.current.runs.depth == 0)
  }
}
