import Foundation
import RunLoopTasks
import Testing

/// Where and when the closure of a task that another thread cancels is released.
@Suite(.onOwnLoop) struct QueueReleaseTests {
  let log = Log()

  @Test(arguments: ["perform", "a queue", "amend", "cancelAll"])
  func eachCallThatReadsMessagesReleasesCancelledTasks(_ reader: String) {
    let queue = RunLoop.current.taskQueue
    let other = RunLoop.current.perform {}.when(.idle)
    let task: RunLoopTask = {
      let token = Token { log("released") }
      return RunLoop.current.perform { token.use() }.when(.idle).forModes(.other)
    }()
    elsewhere { task.cancel() }
    switch reader {
    case "perform": log("\(RunLoop.current.perform({}, line: #line).state)")
    case "a queue": queue.perform {}
    case "amend": other.forModes(.custom)
    default: queue.cancelAll()
    }
    log("later")
    #expect(log.events == ["released"] + (reader == "perform" ? ["pending"] : []) + ["later"])
  }

  @Test func cancellingFromAnotherThreadReleasesOnTheLoopsThread() {
    let releasedOn = Box<ThreadID?>(nil)
    let task: RunLoopTask = {
      let token = Token { releasedOn.value = .current }
      return RunLoop.current.perform { token.use() }.when(.currentLoopEnded)
    }()
    elsewhere {
      #expect(task.cancel())
      #expect(!task.cancel())
      #expect(releasedOn.value == nil)
    }
    #expect(RunLoop.current.runUntilTasksFinish())
    let own = releasedOn.value == .current
    #expect(own)
  }

  @Test func cancellingFromAnotherThreadWakesTheLoopToRelease() {
    LoopThread.withSleepingLoop { queue in
      let released = DispatchSemaphore(value: 0)
      let task: RunLoopTask = {
        let token = Token { released.signal() }
        return queue.perform(when: .currentLoopEnded, forModes: [.other]) { token.use() }
      }()
      _ = queue.debugDescription  // The loop reads the message of the task before that of its cancellation.
      #expect(task.cancel())
      released.waitOrDie("the release")
    }
  }
}
