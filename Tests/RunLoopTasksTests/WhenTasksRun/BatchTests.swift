import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 3: order, batches, nested runs.
@Suite struct BatchTests {
  @Test func firstInFirstOutWhateverTheModes() {
    let events = eventsOnLoopThread { log in
      let modes: [[RunLoop.Mode]] = [
        [.default], [.common], [.custom, .default], [.other, .common], [.default, .other],
      ]
      for number in 0..<20 {
        RunLoop.current.perform { log("\(number)") }.when(.currentLoopEnded).forModes(modes[number % modes.count])
      }
      run()
    }
    #expect(events == (0..<20).map { "\($0)" })
  }

  @Test func tasksForTheCommonModesHaveTheirPlaceInABatchThatMakesItsModeCommon() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("common") }.when(.currentLoopEnded).forModes(.common)
      RunLoop.current.perform {
        CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), RunLoop.Mode.custom.cfMode)
      }.when(.currentLoopEnded).forModes(.custom)
      RunLoop.current.perform { log("custom") }.when(.currentLoopEnded).forModes(.custom)
      run(.custom)
    }
    #expect(events == ["common", "custom"])
  }

  @Test func firstInFirstOutAcrossTheTimingsThatAreDueAtExit() {
    let events = eventsOnLoopThread { log in
      for number in 0..<6 {
        RunLoop.current.perform { log("\(number)") }.when(number.isMultiple(of: 2) ? .idle : .currentLoopEnded)
      }
      poll()
    }
    #expect(events == (0..<6).map { "\($0)" })
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func whatATaskSchedulesWaitsForTheNextActivity(timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      var count = 0
      func again() {
        count += 1
        log("task")
        if count == 3 { stopRun() } else { RunLoop.current.perform(again).when(timing) }
      }
      RunLoop.current.perform(again).when(timing)
      observe(timing == .nextLoopBegan ? .afterWaiting : .beforeWaiting) { log($0.name) }
      run()
      withExtendedLifetime(keepAlive) {}
    }
    let activity = timing == .nextLoopBegan ? "afterWaiting" : "beforeWaiting"
    #expect(events == [activity, "task", activity, "task", activity, "task"])
  }

  @Test func aTaskThatAlwaysReschedulesItselfLeavesSourcesAndTimersTheirTurns() {
    let (sources, timers) = onLoopThread {
      var (sources, timers) = (0, 0)
      var source: Source?
      source = Source {
        sources += 1
        if sources < 10 { source?.signal() }
      }
      let fired = Box(0)
      let counting = Timer(timeInterval: 0.0001, repeats: true) { _ in fired.value += 1 }
      RunLoop.current.add(counting, forMode: .default)
      func again() {
        timers = fired.value
        if sources >= 10, timers >= 10 { stopRun() } else { RunLoop.current.perform(again).when(.currentLoopEnded) }
      }
      RunLoop.current.perform(again).when(.currentLoopEnded)
      source?.signal()
      run()
      counting.invalidate()
      return (sources, timers)
    }
    #expect(sources == 10 && timers >= 10)
  }

  @Test(arguments: [true, false])
  func aTaskThatIsAmendedIntoTheBatchRunsInItsPlace(besideOthers: Bool) {
    let events = eventsOnLoopThread { log in
      let moved = Box<RunLoopTask?>(nil)
      RunLoop.current.perform {
        log("first")
        // One that waits for the next batch.
        if besideOthers { RunLoop.current.perform { log("new") }.when(.currentLoopEnded).forModes(.common) }
      }.when(.currentLoopEnded)
      RunLoop.current.perform {
        log("second")
        moved.value!.when(.currentLoopEnded)
      }.when(.currentLoopEnded)
      moved.value = RunLoop.current.perform { log("moved") }.when(.idle).forModes(.common)
      RunLoop.current.perform { log("third") }.when(.currentLoopEnded)
      run()
    }
    #expect(events == ["first", "second", "moved", "third"] + (besideOthers ? ["new"] : []))
  }

  // MARK: nested runs

  @Test(arguments: RunLoopTask.Timing.allCases)
  func anInterruptedBatchGoesOnInTheNestedRun(timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform {
        log("first{")
        RunLoop.current.runPass()
        log("}")
      }.when(timing)
      RunLoop.current.perform { log("second") }.when(timing)
      RunLoop.current.perform { log("third") }.when(timing)
      run()
    }
    #expect(events == ["first{", "second", "third", "}"])
  }

  @Test(arguments: RunLoopTask.Timing.allCases, RunLoopTask.Timing.allCases)
  func runsNestToAnyDepthAtEveryActivity(outer: RunLoopTask.Timing, inner: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
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
    }
    #expect(events == ["0{", "1{", "2{", "3{", "4{", "}4", "}3", "}2", "}1", "}0"])
  }

  @Test func runsNestInTheTasksThatRunAtEntry() {
    let events = eventsOnLoopThread { log in
      func nest(_ depth: Int) {
        log("\(depth){")
        if depth < 3 {
          RunLoop.current.perform { nest(depth + 1) }
            .when(.nextLoopBegan)
          poll()  // strands it
          poll()
        }
        log("}\(depth)")
      }
      let keepAlive = ModeHolder()
      nest(0)
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["0{", "1{", "2{", "3{", "}3", "}2", "}1", "}0"])
  }

  @Test func everyActivityIsServedInARunNestedInATask() {
    let events = eventsOnLoopThread { log in
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
    }
    #expect(events == ["{", "ended", "began", "idle", "polled", "began", "}"])
  }

  @Test func aNestedRunInAnotherModeLeavesTheBatchToTheOuterRun() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform {
        RunLoop.current.perform { log("custom") }.when(.currentLoopEnded).forModes(.custom)
        log("{")
        RunLoop.current.runPass(mode: .custom)
        log("}")
      }.when(.currentLoopEnded)
      RunLoop.current.perform { log("second") }.when(.currentLoopEnded)
      run()
    }
    #expect(events == ["{", "custom", "}", "second"])
  }

  @Test(arguments: RunLoopTask.Timing.allCases, RunLoopTask.Timing.allCases)
  func aNestedRunWhoseModeGetsItsFirstTaskUnderWayIsServed(outer: RunLoopTask.Timing, inner: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      let source = Source(in: .custom) {
        RunLoop.current.perform {
          log("task")
          stopRun()
        }.when(inner).forModes(.custom)
      }
      RunLoop.current.perform {
        source.signal()
        run(.custom)
      }.when(outer)
      run()
      log("returned")
    }
    #expect(events == ["task", "returned"])
  }

  @Test func aNestedRunWhoseModeGetsItsFirstTaskIsServedInTheSamePass() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder(.custom)
      let queue = RunLoop.current.taskQueue
      RunLoop.current.perform {
        logActivities(log, in: .custom)
        RunLoop.current.perform(inModes: [.custom]) {  // a block of Foundation's
          queue.perform(when: .currentLoopEnded, forModes: [.custom]) {
            log("task")
            stopRun()
          }
        }
        run(.custom)
      }.when(.currentLoopEnded)
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["entry", "beforeWaiting", "task", "afterWaiting", "exit"])
  }
}
