import Foundation
import RunLoopTasks
import Testing

/// The activity at which a task of each timing runs.
@Suite(.onOwnLoop) struct TimingTests {
  let log = Log()

  @Test(arguments: [
    (RunLoopTask.Timing?.some(.currentLoopEnded), ["entry", "beforeWaiting", "task", "afterWaiting", "exit"]),
    (.nextLoopBegan, ["entry", "beforeWaiting", "afterWaiting", "task", "exit"]),
    (.idle, ["entry", "beforeWaiting", "task", "afterWaiting", "exit"]),
    (nil, ["entry", "beforeWaiting", "afterWaiting", "task", "exit"]),  // the default
  ])
  func aTaskRunsAtTheActivityOfItsTiming(timing: RunLoopTask.Timing?, expected: [String]) {
    logActivities(log)
    let task: RunLoopTask = RunLoop.current.perform { log("task") }
    if let timing { task.when(timing) }
    run()
    #expect(log.events == expected)
  }

  @Test(arguments: [
    (RunLoopTask.Timing.currentLoopEnded, ["entry", "exit", "task"]), (.idle, ["entry", "exit", "task"]),
    (.nextLoopBegan, ["entry", "exit", "entry", "task", "exit"]),
  ])
  func aTaskRunsAtTheExitOfARunThatNeverWaitsOrAtTheNextEntry(timing: RunLoopTask.Timing, expected: [String]) {
    logActivities(log)
    RunLoop.current.perform { log("task") }.when(timing)
    for _ in 1...2 { poll() }
    #expect(log.events == expected)
  }

  @Test(arguments: [RunLoopTask.Timing.currentLoopEnded, .nextLoopBegan])
  func aTaskOfASourceRunsAtTheEndOfTheRunThatHandledItOrAtTheNextEntry(timing: RunLoopTask.Timing) {
    logActivities(log)
    let source = Source {
      log("source")
      RunLoop.current.perform { log("task") }.when(timing)
    }
    source.signal()
    _ = RunLoop.current.run(mode: .default, before: .distantFuture)
    log("left")
    source.remove()
    run()
    #expect(log.events.prefix(3) == ["entry", "source", "exit"])
    #expect(log.events.dropFirst(3).starts(with: timing == .currentLoopEnded ? ["task"] : ["left", "entry", "task"]))
  }
}
