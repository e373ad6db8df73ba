import Foundation
import RunLoopTasks
import Testing

/// Cancelling on the loop's own thread, and the release of closures and tasks.
@Suite(.onOwnLoop) struct CancellingTests {
  let log = Log()

  @Test func aCancelledTaskNeverStarts() {
    let task = RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
    log("\(task.cancel())")
    log("\(task.cancel())")
    RunLoop.current.runPass()
    #expect(log.events == ["true", "false"])
  }

  @Test func cancellingARunningOrFinishedTaskIsTooLate() {
    let task = Box<RunLoopTask?>(nil)
    task.value = RunLoop.current.perform { log("\(task.value!.cancel())") }.when(.currentLoopEnded)
    run()
    log("\(task.value!.cancel()) \(task.value!.state)")
    #expect(log.events == ["false", "false finished"])
  }

  @Test func aTaskOfTheBatchUnderWayCanBeCancelled() {
    let second = Box<RunLoopTask?>(nil)
    RunLoop.current.perform { log("\(second.value!.cancel())") }.when(.currentLoopEnded)
    second.value = RunLoop.current.perform { log("second") }.when(.currentLoopEnded)
    RunLoop.current.perform { log("third") }.when(.currentLoopEnded)
    run()
    #expect(log.events == ["true", "third"])
  }

  @Test func cancellingReleasesTheClosureAtOnce() {
    let task: RunLoopTask = {
      let token = Token { log("released") }
      return RunLoop.current.perform { token.use() }.when(.idle)
    }()
    log("cancel")
    task.cancel()
    log("cancelled")
    #expect(log.events == ["cancel", "released", "cancelled"])
  }

  @Test func cancellingLeavesNothingInAModeThatNeverRuns() {
    let released = Counter()
    for _ in 1...1_000 {
      let key = NumberedKey(1) { released.count() }
      RunLoop.current.perform {}.forModes(.custom, .other).coalesced(by: key).cancel()
    }
    #expect(released.value == 1_000)
    #expect(RunLoop.current.taskQueue.count == 0)
  }

  // MARK: after running

  @Test func aClosureIsReleasedAsSoonAsItHasRunAlthoughTheTaskIsHeld() {
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
    #expect(log.events == ["first", "released", "second"])
  }

  @Test func aTaskThatHasRunIsReleasedUnlessItIsHeld() {
    weak var task: RunLoopTask?
    task = RunLoop.current.perform {}.when(.currentLoopEnded)
    #expect(task != nil)
    run()
    #expect(task == nil)
  }
}
