import Foundation
import RunLoopTasks
import Testing

/// `RunLoopTaskQueue.cancelTask(coalescedBy:)`.
@Suite(.onOwnLoop) struct CancelTaskTests {
  let log = Log()
  let keys = Keys()

  @Test(arguments: [true, false], Form.allCases)
  func cancelTaskCancelsThePendingTaskWithTheKey(onOwnThread: Bool, _ form: Form) {
    let queue = RunLoop.current.taskQueue
    let task = form.perform(when: .currentLoopEnded, coalescedBy: "key") { log("cancelled") }
    form.perform(when: .currentLoopEnded, coalescedBy: "other") { log("other") }
    form.perform(when: .currentLoopEnded) { log("none") }
    if onOwnThread {
      queue.cancelTask(coalescedBy: "key")
    } else {
      elsewhere { queue.cancelTask(coalescedBy: "key") }
    }
    RunLoop.current.runPass()
    log("\(task.state)")
    #expect(log.events == ["other", "none", "cancelled"])
  }

  @Test func onTheLoopsThreadCancelTaskReleasesTheClosureAtOnce() {
    do {
      let token = Token { log("released") }
      RunLoop.current.perform { token.use() }.coalesced(by: keys(1))
    }
    RunLoop.current.taskQueue.cancelTask(coalescedBy: NumberedKey(1))
    log("cancelled")
    #expect(RunLoop.current.taskQueue.count == 0)
    #expect(keys.held == 0)
    #expect(log.events == ["released", "cancelled"])
  }

  /// The loop's thread has read the message of the task, or not.
  @Test(arguments: [true, false]) func onAnotherThreadCancelTaskLeavesTheReleaseToTheLoopsThread(wasRead: Bool) {
    let (queue, own, isOnThread) = (RunLoop.current.taskQueue, ThreadID.current, Box<Bool?>(nil))
    elsewhere {
      let token = Token { isOnThread.value = ThreadID.current == own }
      queue.perform(coalescedBy: 1) { token.use() }
    }
    if wasRead { _ = queue.debugDescription }
    elsewhere { queue.cancelTask(coalescedBy: 1) }
    RunLoop.current.runPass()
    #expect(isOnThread.value == true)
  }

  @Test(arguments: [true, false]) func withoutATaskWithTheKeyCancelTaskHasNoEffect(onOwnThread: Bool) {
    let queue = RunLoop.current.taskQueue
    RunLoop.current.perform { log("task") }.coalesced(by: 2)
    if onOwnThread { queue.cancelTask(coalescedBy: 1) } else { elsewhere { queue.cancelTask(coalescedBy: 1) } }
    RunLoop.current.runPass()
    queue.cancelTask(coalescedBy: 2)  // This task has run.
    #expect(log.events == ["task"])
    endedQueue().cancelTask(coalescedBy: 1)
  }

  @Test func cancelTaskDoesNotCancelARunningTask() {
    let queue = RunLoop.current.taskQueue
    let task = Box<RunLoopTask?>(nil)
    task.value = RunLoop.current.perform {
      queue.cancelTask(coalescedBy: 1)
      log("\(task.value!.state)")
    }.coalesced(by: 1)
    RunLoop.current.runPass()
    log("\(task.value!.state)")
    #expect(log.events == ["running", "finished"])
  }

  @Test func cancelTaskDoesNotEndTheIntervalOfAThrottle() {
    func schedule(_ name: String) {
      RunLoop.current.perform(when: .currentLoopEnded, coalescedBy: 1, atMostEvery: .seconds(3_000)) { log(name) }
    }
    schedule("first")
    RunLoop.current.runPass()
    schedule("cancelled")
    RunLoop.current.taskQueue.cancelTask(coalescedBy: 1)
    schedule("latest")
    RunLoop.current.runPass()
    log("pass")
    RunLoop.current.advance(by: .seconds(4_000))
    #expect(log.events == ["first", "pass", "latest"])
  }
}
