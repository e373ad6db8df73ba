import Foundation
import RunLoopTasks
import Testing

/// The tasks of one activity run first in, first out, and the batch ends.
@Suite(.onOwnLoop) struct BatchTests {
  let log = Log()

  @Test func tasksAreFirstInFirstOutWhateverTheirModes() {
    let modes: [[RunLoop.Mode]] = [
      [.default], [.common], [.custom, .default], [.other, .common], [.default, .other],
    ]
    for number in 0..<20 {
      RunLoop.current.perform { log("\(number)") }.when(.currentLoopEnded).forModes(modes[number % modes.count])
    }
    run()
    #expect(log.events == (0..<20).map { "\($0)" })
  }

  @Test func tasksForTheCommonModesJoinABatchThatMakesItsModeCommon() {
    RunLoop.current.perform { log("common") }.when(.currentLoopEnded).forModes(.common)
    RunLoop.current.perform { makeCommon(.custom) }.when(.currentLoopEnded).forModes(.custom)
    RunLoop.current.perform { log("custom") }.when(.currentLoopEnded).forModes(.custom)
    run(.custom)
    #expect(log.events == ["common", "custom"])
  }

  @Test func tasksOfDifferentTimingsAreFirstInFirstOutAtExit() {
    for number in 0..<6 {
      RunLoop.current.perform { log("\(number)") }.when(number.isMultiple(of: 2) ? .idle : .currentLoopEnded)
    }
    poll()
    #expect(log.events == (0..<6).map { "\($0)" })
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func aTaskScheduledByATaskWaitsForTheNextActivity(timing: RunLoopTask.Timing) {
    keepAlive(.default)
    var count = 0
    func again() {
      count += 1
      log("task")
      if count == 3 { stopRun() } else { RunLoop.current.perform(again).when(timing) }
    }
    RunLoop.current.perform(again).when(timing)
    observe(timing == .nextLoopBegan ? .afterWaiting : .beforeWaiting) { log($0.name) }
    run()
    let activity = timing == .nextLoopBegan ? "afterWaiting" : "beforeWaiting"
    #expect(log.events == [activity, "task", activity, "task", activity, "task"])
  }

  @Test func sourcesAndTimersRunBesideATaskThatAlwaysReschedulesItself() {
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
  func aTaskAmendedIntoTheBatchRunsInItsPlace(besideNewTask: Bool) {
    let moved = Box<RunLoopTask?>(nil)
    RunLoop.current.perform {
      log("first")
      // The new task waits for the next batch.
      if besideNewTask { RunLoop.current.perform { log("new") }.when(.currentLoopEnded).forModes(.common) }
    }.when(.currentLoopEnded)
    RunLoop.current.perform {
      log("second")
      moved.value!.when(.currentLoopEnded)
    }.when(.currentLoopEnded)
    moved.value = RunLoop.current.perform { log("moved") }.when(.idle).forModes(.common)
    RunLoop.current.perform { log("third") }.when(.currentLoopEnded)
    run()
    #expect(log.events == ["first", "second", "moved", "third"] + (besideNewTask ? ["new"] : []))
  }
}
