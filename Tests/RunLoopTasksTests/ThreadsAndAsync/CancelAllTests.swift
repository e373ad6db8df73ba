import Foundation
import RunLoopTasks
import Testing

/// `RunLoopTaskQueue.cancelAll`.
@Suite(.onOwnLoop) struct CancelAllTests {
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

  /// The loop does not run meanwhile.
  @Test func onAnotherThreadCancelAllCancelsAtOnce() {
    let thread = ThreadID.current
    let own = RunLoop.current.perform { log("own") }.when(.currentLoopEnded)
    let scheduled = queue.perform(
      when: .idle, closure(whenReleased: { log("released on the loop's thread: \(ThreadID.current == thread)") }))
    elsewhere {
      let posted = queue.perform { log("posted") }
      queue.cancelAll()
      #expect(queue.count == 0)
      for task in [own, scheduled, posted] { #expect(task.state == .cancelled && !task.cancel()) }
      queue.perform(when: .currentLoopEnded) { log("new") }
      #expect(queue.count == 1)
    }
    own.when(.idle)  // no effect
    #expect(RunLoop.current.runUntilTasksFinish())
    #expect(queue.count == 0)
    #expect(log.events == ["released on the loop's thread: true", "new"])
  }
}
