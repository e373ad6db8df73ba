import Foundation
import RunLoopTasks
import Testing

/// Scheduling with `perform` on the loop's own thread, and the states of a task.
@Suite(.onOwnLoop) struct RunLoopTaskTests {
  let log = Log()

  @Test func aClosureMayUseValuesThatAreNotSendable() {
    final class View { var reloads = 0 }
    let view = View()
    RunLoop.current.perform { view.reloads += 1 }.when(.currentLoopEnded)
    run()
    let reloads = view.reloads
    #expect(reloads == 1)
  }

  @Test func aTaskIsPendingThenRunningThenFinishedOrCancelled() {
    let task = Box<RunLoopTask?>(nil)
    task.value = RunLoop.current.perform { log("\(task.value!.state)") }.when(.currentLoopEnded)
    log("\(task.value!.state)")
    run()
    log("\(task.value!.state)")
    let cancelled = RunLoop.current.perform {}.when(.idle)
    cancelled.cancel()
    log("\(cancelled.state)")
    #expect(log.events == ["pending", "running", "finished", "cancelled"])
  }
}
