import Foundation
import RunLoopTasks
import Testing

/// A task on the loop's own thread: its states, cancelling and changing it, and the release of closures and tasks.
@Suite(.onOwnLoop) struct RunLoopTaskTests {
  let log = Log()

  // MARK: cancelling

  @Test func aCancelledTaskNeverStartsAndIsReleasedAtOnce() {
    let task = RunLoop.current.perform(when: .currentLoopEnded, closure(whenReleased: { log("released") }))
    log("\(task.state), \(task.cancel()), \(task.state)")
    log("\(task.cancel())")
    #expect(!RunLoop.current.runPass())
    #expect(log.events == ["released", "pending, true, cancelled", "false"])
  }

  enum Cancelling: CaseIterable { case cancel, cancelTask, cancelAll }

  @Test(arguments: Cancelling.allCases, [true, false])
  func cancellingARunningOrFinishedTaskIsTooLate(_ cancelling: Cancelling, onOwnThread: Bool) {
    let (queue, task) = (RunLoop.current.taskQueue, Box<RunLoopTask?>(nil))
    @Sendable func cancel() {
      call(onOwnThread: onOwnThread) {
        switch cancelling {
        case .cancel: #expect(task.value?.cancel() == false)
        case .cancelTask: queue.cancelTask(coalescedBy: 1)
        case .cancelAll: queue.cancelAll()
        }
      }
      log("\(task.value!.state)")
    }
    task.value = queue.perform(when: .currentLoopEnded, coalescedBy: 1, cancel)
    run()
    cancel()
    #expect(log.events == ["running", "finished"])
  }

  // MARK: after running

  @Test func closureAndKeyAreReleasedAsSoonAsTheTaskHasRunAlthoughItIsHeld() {
    let held = RunLoop.current.perform(
      when: .currentLoopEnded, coalescedBy: NumberedKey(1) { log("key") }, closure(whenReleased: { log("closure") }))
    RunLoop.current.perform { log("next") }.when(.currentLoopEnded)
    run()
    #expect(held.state == .finished)
    #expect(log.events == ["closure", "key", "next"])
  }

  // MARK: changing, until the closure starts

  @Test func modesMayBeListedOrASequence() {
    keepAlive(.other)
    RunLoop.current.perform { log("listed") }.when(.currentLoopEnded).forModes(.custom, .other)
    RunLoop.current.perform { log("set") }.when(.currentLoopEnded).forModes(Set([.other, .custom]))
    RunLoop.current.perform { log("twice") }.when(.currentLoopEnded).forModes(.other, .other)
    RunLoop.current.runPass()
    log("other")
    RunLoop.current.runPass(mode: .other)
    #expect(log.events == ["other", "listed", "set", "twice"])
  }

  @Test func tasksOfTheBatchUnderWayCanBeCancelledAndAmended() {
    let (cancelled, changed) = (Box<RunLoopTask?>(nil), Box<RunLoopTask?>(nil))
    RunLoop.current.perform {
      log("\(cancelled.value!.cancel())")
      changed.value!.when(.nextLoopBegan)
    }.when(.currentLoopEnded)
    cancelled.value = RunLoop.current.perform { log("cancelled") }.when(.currentLoopEnded)
    changed.value = RunLoop.current.perform { log("changed") }.when(.currentLoopEnded)
    RunLoop.current.perform { log("last") }.when(.currentLoopEnded)
    logActivities(log)
    run()
    #expect(log.events == ["entry", "beforeWaiting", "true", "last", "afterWaiting", "changed", "exit"])
  }

  @Test func changesHaveNoEffectOnceTheClosureHasStarted() {
    let task = Box<RunLoopTask?>(nil)
    task.value = RunLoop.current.perform {
      log("task")
      task.value!.when(.idle).forModes(.custom).coalesced(by: NumberedKey(1) { log("key released") })
    }.when(.currentLoopEnded)
    RunLoop.current.runPass()
    task.value!.when(.idle).forModes(.custom).coalesced(by: NumberedKey(1) { log("key released") })
    RunLoop.current.runPass()
    RunLoop.current.runPass(mode: .custom)
    #expect(log.events == ["task", "key released", "key released"])
  }

  @Test func changesKeepThePlaceInLine() {
    let tasks = (0..<6).map { number in
      RunLoop.current.perform { log("\(number)") }.when(number.isMultiple(of: 2) ? .idle : .currentLoopEnded)
    }
    for number in [4, 0, 2] { tasks[number].when(.currentLoopEnded) }
    for number in [5, 1] { tasks[number].forModes(.common) }
    run()
    #expect(log.events == ["0", "1", "2", "3", "4", "5"])
  }
}
