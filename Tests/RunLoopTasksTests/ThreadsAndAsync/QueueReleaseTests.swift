import Foundation
import RunLoopTasks
import Testing

/// The loop's thread releases the closure of a task that another thread cancels.
@Suite(.onOwnLoop) struct QueueReleaseTests {
  let log = Log()

  enum Reader: CaseIterable { case chain, queue, amendment, cancelAll, pass }

  @Test(arguments: Reader.allCases) func eachCallThatReadsMessagesReleasesCancelledTasks(_ reader: Reader) {
    let (queue, own) = (RunLoop.current.taskQueue, ThreadID.current)
    let other = RunLoop.current.perform {}.when(.idle)
    let task = queue.perform(
      when: .idle, forModes: [.other], closure(whenReleased: { log("released here: \(ThreadID.current == own)") }))
    elsewhere {
      #expect(task.cancel())
      #expect(!task.cancel())
      log("cancelled")
    }
    switch reader {
    case .chain: _ = RunLoop.current.perform({}, line: #line).state
    case .queue: queue.perform {}
    case .amendment: other.forModes(.custom)
    case .cancelAll: queue.cancelAll()
    case .pass: RunLoop.current.runPass()
    }
    log("later")
    #expect(log.events == ["cancelled", "released here: true", "later"])
  }

  enum Cancellation: CaseIterable { case ofTheTask, ofAllTasks }

  @Test(arguments: Cancellation.allCases)
  func cancellingFromAnotherThreadWakesTheLoopToRelease(_ cancellation: Cancellation) {
    LoopThread.withSleepingLoop { queue in
      let released = DispatchSemaphore(value: 0)
      let task = queue.perform(
        when: .currentLoopEnded, forModes: [.other], closure(whenReleased: { released.signal() }))
      _ = queue.debugDescription  // The loop reads the message of the task before that of its cancellation.
      switch cancellation {
      case .ofTheTask: #expect(task.cancel())
      case .ofAllTasks: queue.cancelAll()
      }
      released.waitOrDie("the release")
      #expect(task.state == .cancelled)
    }
  }
}
