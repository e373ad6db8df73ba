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

  /// Some of it stands before what is left of the batch.
  @Test func whatTheTasksOfABatchScheduleWaitsWhateverItsOrder() {
    for number in [3, 1, 2] {
      RunLoop.current.perform {
        log("task \(number)")
        for order in [0, 2, -number] {
          RunLoop.current.perform(when: .currentLoopEnded, order: order) { log("\(order)") }
        }
      }
      .when(.currentLoopEnded).order(number)
    }
    observe(.afterWaiting) { _ in log("the next activity") }
    RunLoop.current.runPass()
    let later = [-3, -2, -1, 0, 0, 0, 2, 2, 2].map { "\($0)" }
    #expect(log.events == ["task 1", "task 2", "task 3", "the next activity"] + later)
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
}
