import Foundation
import Testing

@testable import RunLoopTasks

/// Tasks of a queue and of other threads coalesce. The model has most of what may come in between.
@Suite(.onOwnLoop) struct QueueCoalescingTests {
  let log = Log()
  let keys = Keys()

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

  // MARK: Cancelled tasks

  @Test func aSecondCancellationOfAKeyMeetsTheTaskThatWasGivenItInBetween() {
    let queue = RunLoop.current.taskQueue
    let own = RunLoop.current.perform { log("own") }.when(.currentLoopEnded)
    elsewhere {
      let post = { @Sendable name in
        queue.perform(when: .currentLoopEnded, coalescedBy: "k") { log(name) }
      }
      _ = post("first")
      queue.cancelTask(coalescedBy: "k")
      _ = post("second")
      own.coalesced(by: "k")
      _ = post("third")
      queue.cancelTask(coalescedBy: "k")
      post("fourth").coalesced(by: "other")
    }
    run()
    #expect(log.events == ["fourth"])
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

  /// Another thread creates the task before `cancelAll`, and posts it after a new task with the same key.
  @Test func aTaskCancelledBeforeItsMessageArrivesReplacesNothing() {
    let queue = RunLoop.current.taskQueue
    let scheduler = Scheduler.current
    let late = RunLoopTask(scheduler, fileID: #fileID, line: #line) { [log] in log("late") }
    late.enterPending(onLoopThread: false)
    queue.cancelAll()
    queue.perform(when: .currentLoopEnded, coalescedBy: 1) { log("new") }
    elsewhere {
      late.madeOptions.key = TaskKey(1, atMostEvery: .zero)
      scheduler.hasMessages.store(true, ordering: .releasing)
      #expect(!scheduler.attachment.withLock { $0.send(.task(late, [.default]), at: 0).isRefused })
    }
    run()
    #expect(late.state == .cancelled && late.closure == nil)
    #expect(log.events == ["new"])
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

  // MARK: Unusual keys

  @Test(arguments: [true, false])
  func aKeyThatEqualsNoneTakesTheOldKeyAway(isPosted: Bool) {
    let queue = RunLoop.current.taskQueue
    let perform = { @Sendable in
      queue.perform(when: .currentLoopEnded, coalescedBy: "k") { log("1") }.coalesced(by: Double.nan)
      queue.perform(when: .currentLoopEnded, coalescedBy: "k") { log("2") }
    }
    if isPosted { elsewhere { _ = perform() } } else { _ = perform() }
    run()
    #expect(log.events == ["1", "2"])
  }

  @Test func aTaskWhoseKeyIsTakenAwayNoLongerWaitsForTheInterval() {
    let loop = RunLoop.current
    loop.perform { log("1") }.coalesced(by: "k", atMostEvery: .seconds(1_000))
    loop.runPass()
    loop.perform { log("2") }.coalesced(by: "k", atMostEvery: .seconds(1_000)).coalesced(by: Double.nan)
    loop.runPass()
    #expect(log.events == ["1", "2"])
  }

  /// `perform(coalescedBy:)` takes an optional key, and the compiler removes the optional.
  @Test func anOptionalKeyEqualsItsValueInEachForm() {
    let queue = RunLoop.current.taskQueue
    let key: Int? = 5
    let task = queue.perform(coalescedBy: key) {}
    let next = queue.perform {}.coalesced(by: key)
    #expect(task.state == .cancelled && next.state == .pending)
    queue.cancelTask(coalescedBy: key)
    #expect(next.state == .cancelled)
    let erased = RunLoop.current.perform(when: .idle, coalescedBy: AnyHashable("save")) {}
    queue.cancelTask(coalescedBy: "save")
    #expect(erased.state == .cancelled)
  }
}
