import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 2: scheduling, amending and cancelling on the loop's own thread.
@Suite struct RunLoopTaskTests {
  // MARK: perform

  @Test func anUnchainedCallIsFoundations() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("block") }
      #expect(RunLoop.current.taskQueue.count == 0)
      poll()
    }
    #expect(events == ["block"])
  }

  @Test func aTaskMayUseWhatIsNotSendable() {
    final class View { var reloads = 0 }
    let reloads = onLoopThread {
      let view = View()
      RunLoop.current.perform { view.reloads += 1 }.when(.currentLoopEnded)
      run()
      return view.reloads
    }
    #expect(reloads == 1)
  }

  @Test func aTaskRunsOnce() {
    let events = eventsOnLoopThread { log in
      for timing in RunLoopTask.Timing.allCases { RunLoop.current.perform { log("\(timing)") }.when(timing) }
      for _ in 1...5 { RunLoop.current.runPass() }
    }
    #expect(events == ["currentLoopEnded", "nextLoopBegan", "idle"])
  }

  @Test func theDefaultModeIsTheDefault() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
      RunLoop.current.runPass(mode: .custom)
      log("default")
      RunLoop.current.runPass()
    }
    #expect(events == ["default", "task"])
  }

  // MARK: state

  @Test func theStatesOfATask() {
    let events = eventsOnLoopThread { log in
      let task = Box<RunLoopTask?>(nil)
      task.value = RunLoop.current.perform { log("\(task.value!.state)") }.when(.currentLoopEnded)
      log("\(task.value!.state)")
      run()
      log("\(task.value!.state)")
      let cancelled = RunLoop.current.perform {}.when(.idle)
      cancelled.cancel()
      log("\(cancelled.state)")
    }
    #expect(events == ["pending", "running", "finished", "cancelled"])
  }

  // MARK: amending

  @Test func theLastAmendmentCounts() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("task") }
        .when(.idle).forModes(.default).when(.currentLoopEnded).forModes([.custom])
      RunLoop.current.runPass()
      log("custom")
      logActivities(log, in: .custom)
      RunLoop.current.runPass(mode: .custom)
    }
    #expect(events == ["custom", "entry", "beforeWaiting", "task", "afterWaiting", "exit"])
  }

  @Test func amendmentsCountUntilTheClosureStarts() {
    let events = eventsOnLoopThread { log in
      let second = Box<RunLoopTask?>(nil)
      RunLoop.current.perform {
        log("first")
        second.value!.when(.nextLoopBegan)
      }.when(.currentLoopEnded)
      second.value = RunLoop.current.perform { log("second") }.when(.currentLoopEnded)
      logActivities(log)
      run()
    }
    #expect(events == ["entry", "beforeWaiting", "first", "afterWaiting", "second", "exit"])
  }

  @Test func amendmentsHaveNoEffectOnceTheClosureStarted() {
    let events = eventsOnLoopThread { log in
      let task = Box<RunLoopTask?>(nil)
      task.value = RunLoop.current.perform {
        log("task")
        task.value!.when(.idle).forModes(.custom).coalesced(by: 1)
      }.when(.currentLoopEnded)
      RunLoop.current.runPass()
      task.value!.when(.idle).forModes(.custom).coalesced(by: 1)
      RunLoop.current.runPass()
      RunLoop.current.runPass(mode: .custom)
      #expect(Scheduler.current.keys.isEmpty)
    }
    #expect(events == ["task"])
  }

  @Test func amendmentsKeepThePlaceInLine() {
    let events = eventsOnLoopThread { log in
      let tasks = (0..<6).map { number in
        RunLoop.current.perform { log("\(number)") }.when(number.isMultiple(of: 2) ? .idle : .currentLoopEnded)
      }
      for number in [4, 0, 2] { tasks[number].when(.currentLoopEnded) }
      for number in [5, 1] { tasks[number].forModes(.common) }
      run()
    }
    #expect(events == ["0", "1", "2", "3", "4", "5"])
  }

  @Test func modesMayBeListedOrASequence() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder(.other)
      RunLoop.current.perform { log("listed") }.when(.currentLoopEnded).forModes(.custom, .other)
      RunLoop.current.perform { log("set") }.when(.currentLoopEnded).forModes(Set([.other, .custom]))
      RunLoop.current.perform { log("twice") }.when(.currentLoopEnded).forModes(.other, .other)
      RunLoop.current.runPass()
      log("other")
      RunLoop.current.runPass(mode: .other)
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["other", "listed", "set", "twice"])
  }

  // MARK: cancelling

  @Test func aCancelledTaskNeverStarts() {
    let events = eventsOnLoopThread { log in
      let task = RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
      log("\(task.cancel())")
      log("\(task.cancel())")
      RunLoop.current.runPass()
    }
    #expect(events == ["true", "false"])
  }

  @Test func cancellingARunningOrFinishedTaskIsTooLate() {
    let events = eventsOnLoopThread { log in
      let task = Box<RunLoopTask?>(nil)
      task.value = RunLoop.current.perform { log("\(task.value!.cancel())") }.when(.currentLoopEnded)
      run()
      log("\(task.value!.cancel()) \(task.value!.state)")
    }
    #expect(events == ["false", "false finished"])
  }

  @Test func aTaskOfTheSameBatchCanBeCancelled() {
    let events = eventsOnLoopThread { log in
      let second = Box<RunLoopTask?>(nil)
      RunLoop.current.perform { log("\(second.value!.cancel())") }.when(.currentLoopEnded)
      second.value = RunLoop.current.perform { log("second") }.when(.currentLoopEnded)
      RunLoop.current.perform { log("third") }.when(.currentLoopEnded)
      run()
    }
    #expect(events == ["true", "third"])
  }

  @Test func cancellingReleasesTheClosureAtOnce() {
    let events = eventsOnLoopThread { log in
      let task: RunLoopTask = {
        let token = Token { log("released") }
        return RunLoop.current.perform { token.use() }.when(.idle)
      }()
      log("cancel")
      task.cancel()
      log("cancelled")
    }
    #expect(events == ["cancel", "released", "cancelled"])
  }

  @Test func cancellingLeavesNothingBehindInAModeThatNeverRuns() {
    onLoopThread {
      for _ in 1...1_000 { RunLoop.current.perform {}.forModes(.custom, .other).coalesced(by: 1).cancel() }
      #expect(Scheduler.current.pending.all.isEmpty && Scheduler.current.keys.isEmpty)
    }
  }

  // MARK: releasing

  @Test func aClosureIsReleasedAsSoonAsItHasRunWhoeverHoldsTheTask() {
    let events = eventsOnLoopThread { log in
      let held: RunLoopTask = {
        let token = Token { log("released") }
        return RunLoop.current.perform {
          token.use(); log("first")
        }.when(.currentLoopEnded)
      }()
      RunLoop.current.perform { log("second") }.when(.currentLoopEnded)
      run()
      withExtendedLifetime(held) {}
    }
    #expect(events == ["first", "released", "second"])
  }

  @Test func aLoopThatEndsReleasesItsTasks() {
    struct Reference: Sendable { weak let task: RunLoopTask? }
    let references = onLoopThread {
      RunLoopTask.Timing.allCases.map { Reference(task: RunLoop.current.perform {}.when($0).coalesced(by: $0)) }
    }
    waitUntil { references.allSatisfy { $0.task == nil } }
  }

  @Test func aTaskIsReleasedOnceNobodyNeedsIt() {
    onLoopThread {
      weak var task: RunLoopTask?
      task = RunLoop.current.perform {}.when(.currentLoopEnded)
      #expect(task != nil)
      run()
      #expect(task == nil)
    }
  }
}
