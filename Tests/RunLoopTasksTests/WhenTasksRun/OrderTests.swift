import Foundation
import RunLoopTasks
import Testing

/// The order of the tasks of one activity: by `order(_:)`, and first in, first out.
@Suite(.onOwnLoop) struct OrderTests {
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
    observe(timing == .nextLoopBegan ? .afterWaiting : .beforeWaiting) { log("\($0)") }
    run()
    let activity = timing == .nextLoopBegan ? "afterWaiting" : "beforeWaiting"
    #expect(log.events == [activity, "task", activity, "task", activity, "task"])
  }

  @Test func sourcesAndTimersRunBesideATaskThatAlwaysReschedulesItself() {
    let (sources, timers) = (Counter(), Counter())
    var source: Source?
    source = Source { if sources.count() < 10 { source?.signal() } }
    let timer = Timer(timeInterval: 0.0001, repeats: true) { _ in timers.count() }
    RunLoop.current.add(timer, forMode: .default)
    func again() {
      let isDone = sources.value == 10 && timers.value >= 10
      if isDone { stopRun() } else { RunLoop.current.perform(again).when(.currentLoopEnded) }
    }
    RunLoop.current.perform(again).when(.currentLoopEnded)
    source?.signal()
    run()  // without a limit: the watchdog ends a run in which they do not come
    timer.invalidate()
  }

  // MARK: order(_:)

  @Test(arguments: Form.allCases, RunLoopTask.Timing.allCases)
  func lowerOrdersComeFirstAndEqualOnesAreFirstInFirstOut(_ form: Form, timing: RunLoopTask.Timing) {
    for number in 1...3 {
      for order in [3, 0, -2, Int.max, Int.min, 1, -1] {
        form.perform(when: timing, order: order) { log("\(order), \(number)") }
      }
    }
    RunLoop.current.runPass()
    let orders = [Int.min, -2, -1, 0, 1, 3, Int.max]
    #expect(log.events == orders.flatMap { order in (1...3).map { "\(order), \($0)" } })
  }

  @Test func orderCountsAcrossModes() {
    RunLoop.current.perform { log("default") }.when(.currentLoopEnded).order(2)
    RunLoop.current.perform { log("several") }.when(.currentLoopEnded).order(1).forModes(.default, .custom)
    RunLoop.current.perform { log("common") }.when(.currentLoopEnded).order(-1).forModes(.common)
    RunLoop.current.perform { log("zero") }.when(.currentLoopEnded)
    RunLoop.current.runPass()
    #expect(log.events == ["common", "zero", "several", "default"])
  }

  @Test func orderCountsAcrossTimingsThatAreDueAtTheExitOfARun() {
    allowLongBatches()
    for (number, order) in [0, 1, -1, 0, 1, -1].enumerated() {
      let timing: RunLoopTask.Timing = number.isMultiple(of: 2) ? .idle : .currentLoopEnded
      RunLoop.current.perform { log("\(number)") }.when(timing).order(order)
    }
    poll()
    #expect(log.events == ["2", "5", "0", "3", "1", "4"])
  }

  @Test func aTaskOfALowerOrderThatATaskSchedulesWaitsForTheNextActivity() {
    for number in 1...8 {
      RunLoop.current.perform {
        log("\(number)")
        RunLoop.current.perform { log("-\(number)") }.when(.currentLoopEnded).order(-number)
      }.when(.currentLoopEnded).order(number)
    }
    RunLoop.current.runPass()
    #expect(log.events == (1...8).map { "\($0)" } + (1...8).reversed().map { "-\($0)" })
  }

  @Test(arguments: [true, false]) func aSecondCallOfOrderMovesTheTask(onOwnThread: Bool) {
    RunLoop.current.perform { log("1") }.when(.currentLoopEnded)
    let task = RunLoop.current.perform { log("2") }.when(.currentLoopEnded).order(-1)
    RunLoop.current.perform { log("3") }.when(.currentLoopEnded)
    call(onOwnThread: onOwnThread) { task.order(1) }
    RunLoop.current.runPass()
    log("pass")
    #expect(log.events == ["1", "3", "2", "pass"])
  }
}
