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

  /// With `Order.first` the observer cancels the task before the package sees the run.
  @Test(arguments: [Order.first, Order.app, Order.last], [RunLoopTask.Timing.idle, .currentLoopEnded])
  func aRunReturnsIfItsOnlyTaskIsCancelledAtItsEntry(order: Int, timing: RunLoopTask.Timing) {
    let task = Box<RunLoopTask?>(nil)
    observe(.entry, order: order) { _ in task.value?.cancel() }
    task.value = RunLoop.current.perform {}.when(timing)
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

  @Test func aTaskScheduledAtExitAndCancelledKeepsNoLaterRunAlive() {
    let task = Box<RunLoopTask?>(nil)
    observe(.exit) { _ in task.value = RunLoop.current.perform {}.when(.currentLoopEnded) }
    RunLoop.current.perform {}  // a block of Foundation, without which there is no run
    poll()
    #expect(task.value!.cancel())
    _ = RunLoop.current.run(mode: .default, before: .distantFuture)
  }

  // MARK: on another thread

  enum Cancelling: CaseIterable { case alone, all }

  @Test(arguments: Cancelling.allCases)
  func aRunReturnsIfAnotherThreadHasCancelledItsOnlyTask(cancelling: Cancelling) {
    let queue = RunLoop.current.taskQueue
    elsewhere {
      let task = queue.perform {}
      if cancelling == .alone { task.cancel() } else { queue.cancelAll() }
    }
    run()
  }

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
