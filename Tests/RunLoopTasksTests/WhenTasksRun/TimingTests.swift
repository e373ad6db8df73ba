import Foundation
import Testing

@testable import RunLoopTasks

/// The activity at which a task of each timing runs.
@Suite struct TimingTests {
  @Test(arguments: [
    (RunLoopTask.Timing.currentLoopEnded, ["entry", "beforeWaiting", "task", "afterWaiting", "exit"]),
    (.nextLoopBegan, ["entry", "beforeWaiting", "afterWaiting", "task", "exit"]),
    (.idle, ["entry", "beforeWaiting", "task", "afterWaiting", "exit"]),
  ])
  func aTaskRunsAtTheActivityOfItsTiming(timing: RunLoopTask.Timing, expected: [String]) {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      RunLoop.current.perform { log("task") }.when(timing)
      run()
    }
    #expect(events == expected)
  }

  @Test func theDefaultTimingIsNextLoopBegan() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      let task: RunLoopTask = RunLoop.current.perform { log("task") }
      withExtendedLifetime(task) { run() }
    }
    #expect(events == ["entry", "beforeWaiting", "afterWaiting", "task", "exit"])
  }

  @Test(arguments: [RunLoopTask.Timing.currentLoopEnded, .idle])
  func aTaskRunsAtTheExitOfARunThatNeverWaits(timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      RunLoop.current.perform { log("task") }.when(timing)
      poll()
    }
    #expect(events == ["entry", "exit", "task"])
  }

  @Test func anEndedTaskRunsAtTheExitOfARunThatHandledASource() {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      let source = Source {
        log("source")
        RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
      }
      source.signal()
      _ = RunLoop.current.run(mode: .default, before: .distantFuture)
    }
    #expect(events == ["entry", "source", "exit", "task"])
  }

  @Test func tasksOfOnePassRunInTheOrderOfTheirActivities() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("idle") }.when(.idle)
      RunLoop.current.perform { log("began") }.when(.nextLoopBegan)
      RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
      logActivities(log)
      RunLoop.current.runPass()
    }
    #expect(events == ["entry", "beforeWaiting", "ended", "afterWaiting", "began", "exit", "idle"])
  }
}
