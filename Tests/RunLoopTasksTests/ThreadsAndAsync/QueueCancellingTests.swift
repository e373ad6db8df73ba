import Foundation
import RunLoopTasks
import Testing

/// `RunLoopTaskQueue.cancelAll` and `cancelTask(coalescedBy:)`, and the release of what other threads cancel.
@Suite(.onOwnLoop) struct QueueCancellingTests {
  let log = Log()
  let keys = Keys()
  let queue = RunLoop.current.taskQueue

  @Test func onTheLoopsThreadCancelAllCancelsAndReleasesAtOnce() {
    let tasks = RunLoopTask.Timing.allCases.map { timing in
      queue.perform(
        when: timing, forModes: [.custom, .default], coalescedBy: keys(timing.hashValue),
        closure(whenReleased: { log("released") }))
    }
    elsewhere { _ = queue.perform(closure(whenReleased: { log("released") })) }  // Only the loop holds this task.
    queue.cancelAll()
    #expect(queue.count == 0)
    #expect(tasks.allSatisfy { $0.state == .cancelled && !$0.cancel() })
    #expect(keys.held == 0)
    log("later")
    RunLoop.current.perform { log("new") }.when(.currentLoopEnded)
    RunLoop.current.perform {}.when(.currentLoopEnded)
    #expect(queue.count == 2)
    run()
    run(.custom)  // returns
    #expect(log.events == ["released", "released", "released", "released", "later", "new"])
  }

  /// It has its place among what that thread sends.
  @Test func onAnotherThreadCancelAllCancelsWhatWasScheduledOrSentBefore() {
    let thread = ThreadID.current
    let own = RunLoop.current.perform { log("own") }.when(.currentLoopEnded)
    let scheduled = queue.perform(
      when: .idle, closure(whenReleased: { log("released on the loop's thread: \(ThreadID.current == thread)") }))
    let posted = Box<[RunLoopTask]>([])
    elsewhere {
      posted.add([
        queue.perform { log("posted") }, queue.perform(coalescedBy: 1) { log("posted") },
        queue.perform(forModes: [.custom, .default]) { log("posted") },
      ])
      queue.cancelAll()
      queue.perform(when: .currentLoopEnded, coalescedBy: 1) { log("new") }
    }
    own.when(.idle)  // The loop's thread looks, and the change has no effect.
    for task in posted.value + [own, scheduled] { #expect(task.state == .cancelled && !task.cancel()) }
    #expect(queue.count == 1)
    #expect(RunLoop.current.runUntilTasksFinish(timeout: .seconds(60)))
    #expect(queue.count == 0)
    #expect(log.events == ["released on the loop's thread: true", "new"])
  }

  @Test(arguments: [RunLoop.Mode.default, .common])
  func cancelAllEndsTheCurrentBatchAndReleasesItsRemainderAlthoughATaskIsHeld(modeOfTheRest: RunLoop.Mode) {
    RunLoop.current.perform { elsewhere { queue.cancelAll() } }.when(.currentLoopEnded)
    let rest = (1...2).map { _ in
      queue.perform(
        when: .currentLoopEnded, forModes: [modeOfTheRest], closure(whenReleased: { log("released") }))
    }
    #expect(RunLoop.current.runPass())
    log("\(rest.map(\.state))")
    #expect(log.events == ["released", "released", "\([RunLoopTask.State.cancelled, .cancelled])"])
  }

  // MARK: cancelTask(coalescedBy:)

  /// On the loop's thread it releases at once. So it does elsewhere if the loop's thread has not read the message of
  /// the task.
  @Test(arguments: [(true, true), (false, true), (false, false)])
  func cancelTaskReleasesTheClosure(onOwnThread: Bool, wasRead: Bool) {
    let (own, isOnThread) = (ThreadID.current, Box<Bool?>(nil))
    elsewhere {
      _ = queue.perform(coalescedBy: keys(1), closure(whenReleased: { isOnThread.value = ThreadID.current == own }))
    }
    if wasRead { RunLoop.current.runPass(mode: .custom) }
    call(onOwnThread: onOwnThread) { queue.cancelTask(coalescedBy: NumberedKey(1)) }
    if wasRead, !onOwnThread { RunLoop.current.runPass() }
    #expect(isOnThread.value == wasRead && keys.held == 0 && queue.count == 0)
  }
}
