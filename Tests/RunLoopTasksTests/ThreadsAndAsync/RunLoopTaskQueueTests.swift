import Foundation
import RunLoopTasks
import Testing

/// `RunLoopTaskQueue.perform` from any thread, and how it wakes the loop; the count of pending tasks.
@Suite(.onOwnLoop) struct RunLoopTaskQueueTests {
  let log = Log()
  let queue = RunLoop.current.taskQueue

  @Test func defaultsOfAQueueAreTheNextPassAndTheDefaultMode() {
    elsewhere { queue.perform { log("task") } }
    RunLoop.current.runPass(mode: .custom)
    logActivities(log)
    run()
    #expect(log.events == ["entry", "beforeWaiting", "afterWaiting", "task", "exit"])
  }

  @Test func tasksOfOneThreadKeepTheirOrder() {
    RunLoop.current.perform { log("before") }.when(.currentLoopEnded)
    elsewhere { for number in 0..<100 { queue.perform(when: .currentLoopEnded) { log("\(number)") } } }
    RunLoop.current.perform { log("after") }.when(.currentLoopEnded)
    elsewhere { queue.perform(when: .currentLoopEnded) { log("posted") } }
    queue.perform(when: .currentLoopEnded) { log("last") }
    run()
    #expect(log.events == ["before"] + (0..<100).map { "\($0)" } + ["after", "posted", "last"])
  }

  @Test func aTaskThatIsCountedRunsInTheNextPass() {
    let (rounds, begun) = (1_000, Counter())
    let poster = JoinableThread { [queue] in
      for round in 1...rounds {
        while begun.value < round { sched_yield() }
        queue.perform(within: .zero, order: 1, forModes: [.default, .custom]) {}
      }
    }
    let misses = (1...rounds).filter { _ in
      begun.count()
      while queue.count == 0 { sched_yield() }
      return !RunLoop.current.runPass() && RunLoop.current.runUntilTasksFinish(timeout: .seconds(60))
    }
    poster.join()
    #expect(misses.isEmpty)
  }

  @Test func aLoopHasOneQueue() {
    #expect(RunLoop.current.taskQueue == RunLoop.current.taskQueue)
    #expect(Set([RunLoop.current.taskQueue, RunLoop.current.taskQueue, .main]).count == 2)
    #expect(RunLoop.main.taskQueue == .main)
  }

  // MARK: waking

  /// The custom mode has had no tasks before.
  @Test(arguments: RunLoopTask.Timing.allCases, [RunLoop.Mode.default, .custom])
  func performWakesASleepingLoop(timing: RunLoopTask.Timing, mode: RunLoop.Mode) {
    LoopThread.withSleepingLoop(mode) { queue in
      let ran = DispatchSemaphore(value: 0)
      queue.perform(when: timing, forModes: [.other, mode]) { ran.signal() }
      ran.waitOrDie("the task")
    }
  }

  /// Each task arrives at another moment while the loop goes to sleep.
  @Test(arguments: [RunLoop.Mode.default, .custom])
  func performWakesALoopThatIsGoingToSleep(mode: RunLoop.Mode) {
    LoopThread.withSleepingLoop { queue in
      let done = DispatchSemaphore(value: 0)
      for number in 0..<3_000 {
        // In a mode in which the loop does not run, only the release shows that the message was read.
        let task: RunLoopTask = {
          let token = Token { done.signal() }
          return queue.perform(when: .currentLoopEnded, forModes: [mode]) { token.use() }
        }()
        if mode == .custom { if number.isMultiple(of: 2) { task.cancel() } else { queue.cancelAll() } }
        for _ in 0..<number % 50 { pause() }
        done.waitOrDie("task \(number)")
      }
    }
  }

  /// Takes about a microsecond. A yield would take a time slice on a busy machine.
  private func pause() { for _ in 0..<20 { _ = DispatchTime.now() } }

  enum Change: CaseIterable { case afterCancelAll, afterTaskOfAnotherMode }

  /// Nothing observes the mode in which the loop sleeps, so the first wake-up has no effect.
  @Test(arguments: Change.allCases) func aTaskWakesALoopThatIgnoredAnEarlierWakeUp(_ change: Change) {
    LoopThread.withSleepingLoop(.custom) { queue in
      let ran = DispatchSemaphore(value: 0)
      if change == .afterTaskOfAnotherMode { queue.perform { ran.signal() } } else { queue.cancelAll() }
      Thread.sleep(forTimeInterval: 0.01)  // By then the loop most likely sleeps again.
      queue.perform(forModes: [.custom]) { ran.signal() }
      ran.waitOrDie("the task")
    }
  }
}
