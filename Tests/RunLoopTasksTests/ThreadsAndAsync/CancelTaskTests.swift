import Foundation
import RunLoopTasks
import Testing

/// `RunLoopTaskQueue.cancelTask(coalescedBy:)`.
@Suite(.onOwnLoop) struct CancelTaskTests {
  let log = Log()
  let keys = Keys()
  let queue = RunLoop.current.taskQueue

  @Test(arguments: [true, false], Form.allCases)
  func cancelTaskCancelsThePendingTaskWithTheKey(onOwnThread: Bool, _ form: Form) {
    let task = form.perform(when: .currentLoopEnded, coalescedBy: "key") { log("cancelled") }
    form.perform(when: .currentLoopEnded, coalescedBy: "other") { log("other") }
    form.perform(when: .currentLoopEnded) { log("none") }
    call(onOwnThread: onOwnThread) {
      queue.cancelTask(coalescedBy: "key")
      queue.cancelTask(coalescedBy: "a key without a task")
    }
    RunLoop.current.runPass()
    log("\(task.state)")
    #expect(log.events == ["other", "none", "cancelled"])
  }

  @Test func onTheLoopsThreadCancelTaskReleasesTheClosureAtOnce() {
    queue.perform(coalescedBy: keys(1), closure(whenReleased: { log("released") }))
    queue.cancelTask(coalescedBy: NumberedKey(1))
    log("cancelled")
    #expect(queue.count == 0)
    #expect(keys.held == 0)
    #expect(log.events == ["released", "cancelled"])
  }

  /// The loop's thread has read the message of the task, or not.
  @Test(arguments: [true, false]) func onAnotherThreadCancelTaskLeavesTheReleaseToTheLoopsThread(wasRead: Bool) {
    let (own, isOnThread) = (ThreadID.current, Box<Bool?>(nil))
    elsewhere {
      _ = queue.perform(coalescedBy: 1, closure(whenReleased: { isOnThread.value = ThreadID.current == own }))
    }
    if wasRead { _ = queue.debugDescription }
    elsewhere { queue.cancelTask(coalescedBy: 1) }
    RunLoop.current.runPass()
    #expect(isOnThread.value == true)
  }

  @Test func cancelTaskDoesNotEndTheIntervalOfAThrottle() {
    func schedule(_ name: String) {
      queue.perform(when: .currentLoopEnded, coalescedBy: 1, atMostEvery: .seconds(3_000)) { log(name) }
    }
    schedule("first")
    RunLoop.current.runPass()
    schedule("cancelled")
    queue.cancelTask(coalescedBy: 1)
    schedule("latest")
    RunLoop.current.runPass()
    log("pass")
    RunLoop.current.advance(by: .seconds(4_000))
    #expect(log.events == ["first", "pass", "latest"])
  }
}
