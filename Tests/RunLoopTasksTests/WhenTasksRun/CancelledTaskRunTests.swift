import Foundation
import RunLoopTasks
import Testing

/// A run returns once its last task is cancelled, wherever that happens.
///
/// The runs have no limit, so a run that does not return hits the watchdog.
@Suite(.onOwnLoop) struct CancelledTaskRunTests {
  let log = Log()

  @Test func aRunReturnsIfABlockCancelsItsLastTask() {
    let task = RunLoop.current.perform { log("task") }.when(.idle)
    RunLoop.current.perform { task.cancel() }  // a block of Foundation, which runs before the loop would sleep
    run()
    log("returned")
    #expect(log.events == ["returned"])
  }

  @Test func aRunReturnsIfABlockSchedulesAndCancelsItsFirstTask() {
    RunLoop.current.perform { RunLoop.current.perform {}.when(.idle).cancel() }
    run()
  }

  /// The observer cancels the task after CoreFoundation has found the mode not empty.
  @Test func aRunReturnsIfTheFirstObserverOfAPassCancelsItsLastTask() {
    let task = Box<RunLoopTask?>(nil)
    let observer = RunLoop.current.observe(.beforeTimers, forModes: [.default], order: .min) { _ in
      if log.events == ["first"], task.value?.cancel() == true { log("cancelled") }
    }
    RunLoop.current.perform { log("first") }.when(.currentLoopEnded)
    task.value = RunLoop.current.perform { log("idle") }.when(.idle)
    run()
    withExtendedLifetime(observer) {}
    #expect(log.events == ["first", "cancelled"])
  }

  // MARK: on another thread

  enum Cancelling: CaseIterable { case alone, all }

  @Test(arguments: [RunLoop.Activity.entry, .beforeWaiting, .afterWaiting], Cancelling.allCases)
  func aRunReturnsIfAnotherThreadCancelsItsOnlyTask(activity: RunLoop.Activity, cancelling: Cancelling) {
    let queue = RunLoop.current.taskQueue
    RunLoop.current.perform {}.when(.idle)  // without a task there is no run
    observeOnce(activity, order: Order.frame) {
      elsewhere {
        let task = queue.perform {}
        if cancelling == .alone { task.cancel() }
      }
      if cancelling == .all { elsewhere { queue.cancelAll() } }
    }
    run()
  }

  /// A nested run consumes the wake-up of the message.
  @Test(arguments: [2, 5]) func aRunReturnsAfterAMessageThatANestedRunRead(pass: Int) {
    let queue = RunLoop.current.taskQueue
    var (keepAlive, nested): (ModeHolder?, ModeHolder) = (ModeHolder(), ModeHolder(.custom))
    for mode in [RunLoop.Mode.default, .custom] { queue.perform(when: .currentLoopEnded, forModes: [mode]) {} }
    observeNumbered(.beforeWaiting, order: Order.app) { number in
      if number < pass { queue.perform(when: .currentLoopEnded) {} }
      guard number == pass else { return }
      elsewhere {
        queue.perform {}
        queue.cancelAll()
      }
      keepAlive = nil
      RunLoop.current.runPass(mode: .custom)
    }
    run()
    withExtendedLifetime((keepAlive, nested)) {}
  }
}
