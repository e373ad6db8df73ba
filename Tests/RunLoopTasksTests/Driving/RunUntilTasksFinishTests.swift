import Foundation
import RunLoopTasks
import Testing

/// `RunLoop.runUntilTasksFinish`.
@Suite(.onOwnLoop) struct RunUntilTasksFinishTests {
  let log = Log()

  @Test func runUntilTasksFinishRunsAllTasksAndThoseThatTheySchedule() {
    func task(_ left: Int) {
      log("\(left)")
      if left > 0 { RunLoop.current.perform { task(left - 1) }.when(RunLoopTask.Timing.allCases[left % 3]) }
    }
    RunLoop.current.perform { task(10) }.when(.idle)
    RunLoop.current.perform { log("custom") }.when(.idle).forModes(.custom)
    log("\(RunLoop.current.runUntilTasksFinish(timeout: .seconds(1_000)))")
    #expect(log.events == (0...10).reversed().map { "\($0)" } + ["true"])
  }

  @Test func runUntilTasksFinishReturnsAtOnceWithoutPendingTasks() {
    logActivities(log)
    RunLoop.current.runUntilTasksFinish()
    #expect(RunLoop.current.runUntilTasksFinish(timeout: .zero))
    #expect(log.events == [])
  }

  @Test func runUntilTasksFinishReturnsFalseAtTheTimeout() {
    var count = 0
    func again() {
      count += 1
      RunLoop.current.perform(again).when(.nextLoopBegan)
    }
    RunLoop.current.perform(again).when(.nextLoopBegan)
    #expect(!RunLoop.current.runUntilTasksFinish(timeout: .zero))
    #expect(count == 1)
    #expect(!RunLoop.current.runUntilTasksFinish(timeout: .milliseconds(1)))
    let delayed = RunLoop.current.perform {}.after(.seconds(3_000)).forModes(.custom)
    #expect(!RunLoop.current.runUntilTasksFinish(mode: .custom, timeout: .milliseconds(5)))
    #expect(delayed.state == .pending)
  }

  /// Each pass has both.
  @Test func runUntilTasksFinishRunsIdleTasksBesideOneThatReschedulesItself() {
    func again() { if log.events.isEmpty { RunLoop.current.perform(again).when(.currentLoopEnded) } }
    again()
    RunLoop.current.perform { log("idle") }.when(.idle)
    #expect(RunLoop.current.runUntilTasksFinish(timeout: .seconds(60)))
  }

  @Test func runUntilTasksFinishSleepsUntilADelayEnds() {
    let (passes, start) = (Counter(), taskTime())
    observe(.beforeWaiting) { _ in passes.count() }
    RunLoop.current.perform {}.after(.milliseconds(20))
    RunLoop.current.perform {}.after(.milliseconds(10)).forModes(.common)
    RunLoop.current.perform {}.after(.seconds(3_000)).forModes(.custom)
    #expect(RunLoop.current.runUntilTasksFinish(timeout: .seconds(1_000)))
    #expect(taskTime() - start >= .milliseconds(20))
    #expect(passes.value <= 30)
  }

  @Test func runUntilTasksFinishRunsATaskThatAnotherThreadSchedulesMeanwhile() {
    let (queue, once) = (RunLoop.current.taskQueue, Counter())
    let task = RunLoop.current.perform { log("delayed") }.after(.seconds(3_000))
    observe(.beforeWaiting, order: Order.last) { _ in
      if once.count() == 1 { elsewhere { queue.perform { log("\(task.cancel())") } } }
    }
    log("\(RunLoop.current.runUntilTasksFinish(timeout: .seconds(1_000)))")
    #expect(log.events == ["true", "true"])
  }
}
