import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 6: `runUntil` in runs and around them, and what `runUntilTasksFinish` waits for.
@Suite struct RunUntilNestedTests {
  @Test func aTaskMayRunUntilACondition() {
    let events = eventsOnLoopThread { log in
      let (inner, outer) = (Box(false), Box(false))
      RunLoop.current.perform {
        log("{")
        RunLoop.current.perform {
          log("inner")
          inner.value = true
        }.when(.nextLoopBegan)
        RunLoop.current.runUntil(timeout: nil) { inner.value }
        log("}")
        RunLoop.current.perform { outer.value = true }.after(.milliseconds(5))
      }.when(.nextLoopBegan)
      log("\(RunLoop.current.runUntil(timeout: nil) { outer.value })")
    }
    #expect(events == ["{", "inner", "}", "true"])
  }

  /// The condition of the outer one comes to hold in the inner one, which goes on until its own does.
  @Test(arguments: [RunLoop.Mode.default, .custom]) func theOuterConditionDoesNotEndTheInnerRun(mode: RunLoop.Mode) {
    let events = eventsOnLoopThread { log in
      let (inner, outer) = (Box(false), Box(false))
      RunLoop.current.perform {
        outer.value = true
        RunLoop.current.perform { inner.value = true }.forModes(mode).after(.milliseconds(5))
        log("inner \(RunLoop.current.runUntil(mode: mode, timeout: nil) { inner.value })")
      }.when(.nextLoopBegan)
      log("outer \(RunLoop.current.runUntil(timeout: nil) { outer.value })")
    }
    #expect(events == ["inner true", "outer true"])
  }

  @Test func aNestedRunOfSomebodyElseIsNotStopped() {
    let events = eventsOnLoopThread { log in
      let holds = Box(false)
      RunLoop.current.perform {
        let keepAlive = ModeHolder()
        holds.value = true
        RunLoop.current.perform {
          log("nested")
          stopRun()
        }.after(.milliseconds(5))
        run()
        withExtendedLifetime(keepAlive) {}
      }.when(.nextLoopBegan)
      log("\(RunLoop.current.runUntil(timeout: nil) { holds.value })")
    }
    #expect(events == ["nested", "true"])
  }

  @Test func theConditionMayRunTheLoop() {
    let events = eventsOnLoopThread { log in
      let holds = Box(false)
      RunLoop.current.perform {
        log("first")
        RunLoop.current.perform { holds.value = true }.when(.currentLoopEnded).after(.milliseconds(5))
      }.when(.nextLoopBegan)
      let result = RunLoop.current.runUntil(timeout: nil) {
        RunLoop.current.runPass()
        return holds.value
      }
      log("\(result)")
    }
    #expect(events == ["first", "true"])
  }

  @Test func whatTheConditionSchedulesIsNotSleptOn() {
    let events = eventsOnLoopThread { log in
      let (once, holds) = (Counter(), Box(false))
      let result = RunLoop.current.runUntil(timeout: nil) {
        if once.count() == 2 { RunLoop.current.perform { holds.value = true }.when(.idle) }
        return holds.value
      }
      log("\(result)")
    }
    #expect(events == ["true"])
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(1e18)])
  func aHugeTimeoutIsNone(timeout: Duration) async {
    await #expect(processExitsWith: .success) { [timeout] in
      alarm(60)
      let results = onLoopThread {
        let holds = Box(false)
        RunLoop.current.perform { holds.value = true }.when(.nextLoopBegan)
        let first = RunLoop.current.runUntil(timeout: timeout) { holds.value }
        RunLoop.current.perform {}.when(.nextLoopBegan)
        return [first, RunLoop.current.runUntilTasksFinish(timeout: timeout)]
      }
      try #require(results == [true, true])
    }
  }

  // MARK: runUntilTasksFinish

  @Test func untilTasksFinishSleepsUntilADelayEnds() {
    let (result, passes, waited) = onLoopThread {
      let (passes, start) = (Counter(), taskTime())
      observe(.beforeWaiting) { _ in passes.count() }
      RunLoop.current.perform {}.after(.milliseconds(20))
      RunLoop.current.perform {}.after(.milliseconds(10)).forModes(.common)
      RunLoop.current.perform {}.after(.seconds(3_000)).forModes(.custom)
      let result = RunLoop.current.runUntilTasksFinish(timeout: .seconds(1_000))
      return (result, passes.value, taskTime() - start)
    }
    #expect(result)
    #expect(waited >= .milliseconds(20))
    #expect(passes <= 30)
  }

  @Test func untilTasksFinishDoesNotSleepWhileATaskCanRun() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("delayed") }.after(.milliseconds(30))
      func again(_ left: Int) {
        log("\(left)")
        if left > 0 { RunLoop.current.perform { again(left - 1) }.when(RunLoopTask.Timing.allCases[left % 3]) }
      }
      again(5)
      log("\(RunLoop.current.runUntilTasksFinish(timeout: .seconds(1_000)))")
    }
    #expect(events == ["5", "4", "3", "2", "1", "0", "delayed", "true"])
  }

  @Test func untilTasksFinishGivesUpOnALongDelay() {
    onLoopThread {
      let task = RunLoop.current.perform {}.after(.seconds(3_000))
      #expect(!RunLoop.current.runUntilTasksFinish(timeout: .milliseconds(5)))
      #expect(task.state == .pending)
    }
  }

  @Test func untilTasksFinishHearsATaskOfAnotherThreadMeanwhile() {
    let events = eventsOnLoopThread { log in
      let (queue, once) = (RunLoop.current.taskQueue, Counter())
      let task = RunLoop.current.perform { log("delayed") }.after(.seconds(3_000))
      observe(.beforeWaiting, order: Order.last) { _ in
        if once.count() == 1 { elsewhere { queue.perform { log("\(task.cancel())") } } }
      }
      log("\(RunLoop.current.runUntilTasksFinish(timeout: .seconds(1_000)))")
    }
    #expect(events == ["true", "true"])
  }
}
