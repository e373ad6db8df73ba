import Foundation
import RunLoopTasks
import Testing

/// How `RunLoopTaskQueue` wakes its loop.
@Suite(.onOwnLoop) struct QueueWakingTests {
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
      for number in 0..<10_000 {
        // In a mode in which the loop does not run, only the release shows that the message was read.
        let task: RunLoopTask = {
          let token = Token { done.signal() }
          return queue.perform(when: .currentLoopEnded, forModes: [mode]) { token.use() }
        }()
        if mode == .custom { task.cancel() }
        for _ in 0..<number % 50 { pause() }
        done.waitOrDie("task \(number)")
      }
    }
  }

  /// Takes about a microsecond. A yield would take a time slice on a busy machine.
  private func pause() { for _ in 0..<20 { _ = DispatchTime.now() } }

  /// Tasks that are scheduled between the first wake-up and the reading of the messages need no further wake-up.
  @Test func aBurstWakesASleepingLoopOnce() {
    let queue = RunLoop.current.taskQueue
    let wakeUps = Counter()
    keepAlive(.default)
    observe(.beforeWaiting, order: Order.last) { _ in
      guard wakeUps.value == 0 else { return }
      // From here on the loop counts as sleeping, and keeps each wake-up.
      elsewhere { for number in 1...1_000 { queue.perform { if number == 1_000 { stopRun() } } } }
    }
    observe(.afterWaiting) { _ in wakeUps.count() }
    run()
    #expect(wakeUps.value == 1)
  }

  enum Change: CaseIterable { case afterDescription, afterCancelAll, afterTaskOfAnotherMode, ofMode }

  /// Nothing observes the mode in which the loop sleeps, so the first wake-up has no effect.
  @Test(arguments: Change.allCases) func aTaskWakesALoopThatIgnoredAnEarlierWakeUp(_ change: Change) {
    LoopThread.withSleepingLoop(.custom) { queue in
      let ran = DispatchSemaphore(value: 0)
      let task = change == .ofMode || change == .afterTaskOfAnotherMode ? queue.perform { ran.signal() } : nil
      if change == .afterDescription { _ = queue.debugDescription }
      if change == .afterCancelAll { queue.cancelAll() }
      Thread.sleep(forTimeInterval: 0.01)  // By then the loop most likely sleeps again.
      if change == .ofMode { task?.forModes(.custom) } else { queue.perform(forModes: [.custom]) { ran.signal() } }
      ran.waitOrDie("the task")
    }
  }
}
