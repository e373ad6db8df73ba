import Foundation
import RunLoopTasks
import Testing

/// Tasks of a queue and of other threads coalesce.
@Suite(.onOwnLoop) struct QueueCoalescingTests {
  let log = Log()
  let keys = Keys()

  @Test func aQueueSchedulesAndCoalescesInOneStep() {
    let queue = RunLoop.current.taskQueue
    queue.perform(when: .currentLoopEnded, coalescedBy: keys(1)) { log("first") }
    queue.perform(when: .currentLoopEnded) { log("between") }
    queue.perform(when: .currentLoopEnded, coalescedBy: keys(1)) { log("latest") }
    queue.perform(when: .currentLoopEnded, coalescedBy: keys(2)) { log("other") }
    run()
    #expect(keys.held == 0)
    #expect(log.events == ["latest", "between", "other"])
  }

  @Test func tasksOfDifferentThreadsCoalesce() {
    let queue = RunLoop.current.taskQueue
    let first = RunLoop.current.perform { log("first") }.when(.currentLoopEnded).coalesced(by: keys(1))
    RunLoop.current.perform { log("between") }.when(.currentLoopEnded)
    elsewhere {
      for number in 2...9 {
        queue.perform(when: .currentLoopEnded, forModes: [.common], coalescedBy: keys(1)) { log("\(number)") }
      }
    }
    RunLoop.current.perform { log("latest") }.when(.currentLoopEnded).coalesced(by: keys(1))
    #expect(first.state == .cancelled)
    #expect(queue.count == 2)
    run()
    #expect(keys.held == 0)
    #expect(log.events == ["latest", "between"])
  }

  /// The loop's thread reads the message of the replacement after the cancellation.
  @Test func aReplacementCancelledByAnotherThreadHasReplaced() {
    let queue = RunLoop.current.taskQueue
    let first = queue.perform(when: .currentLoopEnded, coalescedBy: keys(1)) { log("first") }
    elsewhere { queue.perform(when: .currentLoopEnded, coalescedBy: keys(1)) { log("second") }.cancel() }
    RunLoop.current.runPass()
    #expect(first.state == .cancelled)
    #expect(keys.held == 0)
    #expect(log.events == [])
  }

  @Test func aTaskCancelledBeforeTheLoopReadsItsKeyReplacesNothing() {
    RunLoop.current.perform { log("first") }.when(.currentLoopEnded).coalesced(by: 1)
    let second = RunLoop.current.perform { log("second") }.when(.currentLoopEnded)
    elsewhere { second.coalesced(by: 1).cancel() }
    run()
    #expect(log.events == ["first"])
  }

  /// One thread cancels all tasks before it schedules one. The other thread only schedules one with the same key.
  @Test func aTaskCancelledByCancelAllReplacesNothing() {
    let loop = LoopThread()
    let (runs, rounds) = (Counter(), 2_000)
    for round in 1...rounds {
      let done = DispatchSemaphore(value: 0)
      Thread {
        loop.queue.cancelAll()
        loop.queue.perform(coalescedBy: 1) { runs.count() }
        done.signal()
      }.start()
      loop.perform {
        loop.queue.perform(coalescedBy: 1) { runs.count() }
        done.waitOrDie("the other thread")
        RunLoop.current.runUntilTasksFinish()
      }
      #expect(runs.value >= round)
      #expect(loop.queue.count == 0)
    }
    loop.end()
  }

  @Test func aKeyIsForgottenOnceAnotherThreadHasCancelledItsTask() {
    let queue = RunLoop.current.taskQueue
    elsewhere { queue.perform(coalescedBy: keys(1)) {}.cancel() }
    let own = RunLoop.current.perform {}.when(.idle).coalesced(by: keys(2))
    elsewhere { own.cancel() }
    RunLoop.current.runPass()
    #expect(keys.held == 0)
  }
}
