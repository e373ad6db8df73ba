import Foundation
import Testing

@testable import RunLoopTasks

/// `RunLoopTaskQueue.cancelAll` and tasks with a key.
@Suite(.onOwnLoop) struct CancelAllKeyTests {
  let log = Log()

  /// A cancelled task does not give its place in line to another task.
  @Test func aTaskWithTheKeyOfACancelledTaskGoesToTheEnd() {
    let queue = RunLoop.current.taskQueue
    queue.perform(when: .currentLoopEnded, coalescedBy: 1) { log("cancelled") }
    elsewhere {
      queue.cancelAll()
      queue.perform(when: .currentLoopEnded) { log("first") }
      queue.perform(when: .currentLoopEnded, coalescedBy: 1) { log("second") }
    }
    run()
    #expect(log.events == ["first", "second"])
  }

  @Test func aReplacementGoesToTheEndIfTheReplacedTaskIsThenCancelled() {
    let queue = RunLoop.current.taskQueue
    let first = queue.perform(when: .currentLoopEnded, coalescedBy: 1) { log("cancelled") }
    queue.perform(when: .currentLoopEnded) { log("between") }
    elsewhere {
      queue.perform(when: .currentLoopEnded, coalescedBy: 1) { log("replacement") }
      first.cancel()
    }
    run()
    #expect(log.events == ["between", "replacement"])
  }

  /// Another thread creates the task before `cancelAll`, and posts it after a new task with the same key.
  @Test func aTaskCancelledBeforeItsMessageArrivesReplacesNothing() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      let scheduler = Scheduler.current
      let late = RunLoopTask(scheduler, fileID: #fileID, line: #line) { log("late") }
      late.enterPending(onLoopThread: false)
      queue.cancelAll()
      queue.perform(when: .currentLoopEnded, coalescedBy: 1) { log("new") }
      elsewhere {
        late.madeOptions.key = TaskKey(1, atMostEvery: .zero)
        scheduler.hasMessages.store(true, ordering: .releasing)
        #expect(!scheduler.attachment.withLock { $0.add(late, [.default], at: 0).isRefused })
      }
      run()
      #expect(late.state == .cancelled && late.closure == nil)
    }
    #expect(events == ["new"])
  }
}
