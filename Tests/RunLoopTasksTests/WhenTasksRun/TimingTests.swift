import Foundation
import RunLoopTasks
import Testing

/// The activity at which a task of each timing runs.
@Suite(.onOwnLoop) struct TimingTests {
  let log = Log()

  @Test(arguments: [
    (RunLoopTask.Timing.currentLoopEnded, ["entry", "beforeWaiting", "task", "afterWaiting", "exit"]),
    (.nextLoopBegan, ["entry", "beforeWaiting", "afterWaiting", "task", "exit"]),
    (.idle, ["entry", "beforeWaiting", "task", "afterWaiting", "exit"]),
  ])
  func aTaskRunsAtTheActivityOfItsTiming(timing: RunLoopTask.Timing, expected: [String]) {
    logActivities(log)
    RunLoop.current.perform { log("task") }.when(timing)
    run()
    #expect(log.events == expected)
  }

  @Test func theDefaultTimingIsNextLoopBegan() {
    logActivities(log)
    let task: RunLoopTask = RunLoop.current.perform { log("task") }
    withExtendedLifetime(task) { run() }
    #expect(log.events == ["entry", "beforeWaiting", "afterWaiting", "task", "exit"])
  }

  @Test(arguments: [RunLoopTask.Timing.currentLoopEnded, .idle])
  func aTaskRunsAtTheExitOfARunThatNeverWaits(timing: RunLoopTask.Timing) {
    logActivities(log)
    RunLoop.current.perform { log("task") }.when(timing)
    poll()
    #expect(log.events == ["entry", "exit", "task"])
  }

  @Test func anEndedTaskRunsAtTheExitOfARunThatHandledASource() {
    logActivities(log)
    let source = Source {
      log("source")
      RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
    }
    source.signal()
    _ = RunLoop.current.run(mode: .default, before: .distantFuture)
    #expect(log.events == ["entry", "source", "exit", "task"])
  }

  @Test func tasksOfOnePassRunInTheOrderOfTheirActivities() {
    RunLoop.current.perform { log("idle") }.when(.idle)
    RunLoop.current.perform { log("began") }.when(.nextLoopBegan)
    RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
    logActivities(log)
    RunLoop.current.runPass()
    #expect(log.events == ["entry", "beforeWaiting", "ended", "afterWaiting", "began", "exit", "idle"])
  }
}
