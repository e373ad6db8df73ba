import Foundation
import RunLoopTasks
import Testing

/// `RunLoopTaskQueue.count`.
@Suite(.onOwnLoop) struct QueueCountTests {
  @Test func countIncludesThePendingTasksOfEveryThread() {
    let queue = RunLoop.current.taskQueue
    #expect(queue.count == 0)
    let tasks: [RunLoopTask] = [
      RunLoop.current.perform { #expect(queue.count == 1) }.when(.currentLoopEnded),
      RunLoop.current.perform {}.forModes(.custom),
    ]
    #expect(queue.count == 2)
    elsewhere {
      queue.perform {}
      #expect(queue.count == 3)
      #expect(tasks[1].cancel())
      #expect(queue.count == 2)
    }
    RunLoop.current.perform {}.when(.idle).coalesced(by: 1)
    RunLoop.current.perform {}.when(.idle).coalesced(by: 1)
    #expect(queue.count == 3)
    RunLoop.current.perform {}.when(.idle).cancel()
    tasks[0].coalesced(by: 1)
    #expect(queue.count == 2)
    RunLoop.current.runPass()
    #expect(queue.count == 0)
  }

  @Test func countIsZeroOnceALoopHasEnded() {
    let queue = onLoopThread {
      for _ in 1...3 { RunLoop.current.perform {}.when(.idle) }
      return RunLoop.current.taskQueue
    }
    waitUntil { queue.count == 0 }
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 1...5_000 { queue.perform {} }
    }
    #expect(queue.count == 0)
  }
}
