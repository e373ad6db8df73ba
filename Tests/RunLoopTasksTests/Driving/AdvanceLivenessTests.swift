import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 6: `advance(by:mode:)` where it could hang, or time could stop or go back.
@Suite struct AdvanceLivenessTests {
  /// Nothing was ever scheduled for the mode.
  @Test func aModeThatWasNeverUsedWillDo() async {
    await #expect(processExitsWith: .success) {
      endInTime()
      let events = eventsOnLoopThread { log in
        RunLoop.current.perform { log("task") }.after(.seconds(1_000))
        log("\(RunLoop.current.advance(by: .seconds(2_000), mode: .other))")
        log("\(RunLoop.current.runPass())")
      }
      try #require(events == ["false", "task", "true"])
    }
  }

  @Test func aTaskOfTheLastPassMayAdvanceTimeInTurn() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { RunLoop.current.advance(by: .seconds(5_000)) }.when(.nextLoopBegan)
      RunLoop.current.perform { log("task") }.after(.seconds(10_000))
      RunLoop.current.advance(by: .seconds(1_000))
      log("6000")
      RunLoop.current.advance(by: .seconds(5_000))
    }
    #expect(events == ["6000", "task"])
  }

  /// A task may run its loop again, and what waits there for time that really passes must not wait for ever.
  @Test(arguments: ["run", "untilTasksFinish", "until"]) func aTaskMayRunItsLoopNestedMeanwhile(_ way: String) {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform {
        let task = RunLoop.current.perform { log("nested") }.after(.milliseconds(5))
        // The limits are reached only if it does not work.
        switch way {
        case "run": CFRunLoopRunInMode(RunLoop.Mode.default.cfMode, 2, false)
        case "untilTasksFinish": RunLoop.current.runUntilTasksFinish(timeout: .seconds(2))
        default: RunLoop.current.runUntil(timeout: .seconds(2)) { task.state == .finished }
        }
        log("left")
      }.after(.seconds(1_000))
      RunLoop.current.advance(by: .seconds(2_000))
    }
    #expect(events == ["nested", "left"])
  }

  @Test func timeNeverGoesBack() {
    onLoopThread {
      var latest = taskTime()
      func look() {
        let now = taskTime()
        #expect(now >= latest)
        latest = now
      }
      for seconds in [1, 0, 1_000, 3] {
        RunLoop.current.perform(look).after(.seconds(seconds))
        look()
        RunLoop.current.advance(by: .seconds(seconds))
        look()
        RunLoop.current.runPass()
        look()
      }
    }
  }
}
