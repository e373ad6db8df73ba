import Foundation
import Testing

@testable import RunLoopTasks

/// Cancelling on the loop's own thread, and the release of closures and tasks.
@Suite struct CancellingTests {
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

  @Test func aTaskOfTheBatchUnderWayCanBeCancelled() {
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

  @Test func cancellingLeavesNothingInAModeThatNeverRuns() {
    onLoopThread {
      for _ in 1...1_000 { RunLoop.current.perform {}.forModes(.custom, .other).coalesced(by: 1).cancel() }
      #expect(Scheduler.current.pending.all.isEmpty && Scheduler.current.keys.isEmpty)
    }
  }

  // MARK: after running

  @Test func aClosureIsReleasedAsSoonAsItHasRunAlthoughTheTaskIsHeld() {
    let events = eventsOnLoopThread { log in
      let held: RunLoopTask = {
        let token = Token { log("released") }
        return RunLoop.current.perform {
          token.use()
          log("first")
        }.when(.currentLoopEnded)
      }()
      RunLoop.current.perform { log("second") }.when(.currentLoopEnded)
      run()
      withExtendedLifetime(held) {}
    }
    #expect(events == ["first", "released", "second"])
  }

  @Test func aTaskThatHasRunIsReleasedUnlessItIsHeld() {
    onLoopThread {
      weak var task: RunLoopTask?
      task = RunLoop.current.perform {}.when(.currentLoopEnded)
      #expect(task != nil)
      run()
      #expect(task == nil)
    }
  }
}
