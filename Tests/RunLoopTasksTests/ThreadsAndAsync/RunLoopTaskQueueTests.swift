import Foundation
import RunLoopTasks
import Testing

/// `RunLoopTaskQueue.perform` from any thread, the count of pending tasks, and the identity of a queue.
@Suite(.onOwnLoop) struct RunLoopTaskQueueTests {
  let log = Log()
  let queue = RunLoop.current.taskQueue

  @Test func defaultsOfAQueueAreTheNextPassAndTheDefaultMode() {
    elsewhere { queue.perform { log("task") } }
    RunLoop.current.runPass(mode: .custom)
    logActivities(log)
    run()
    #expect(log.events == ["entry", "beforeWaiting", "afterWaiting", "task", "exit"])
  }

  @Test func tasksOfOneThreadKeepTheirOrder() {
    RunLoop.current.perform { log("before") }.when(.currentLoopEnded)
    elsewhere { for number in 0..<100 { queue.perform(when: .currentLoopEnded) { log("\(number)") } } }
    RunLoop.current.perform { log("after") }.when(.currentLoopEnded)
    elsewhere { queue.perform(when: .currentLoopEnded) { log("posted") } }
    queue.perform(when: .currentLoopEnded) { log("last") }
    run()
    #expect(log.events == ["before"] + (0..<100).map { "\($0)" } + ["after", "posted", "last"])
  }

  /// `debugDescription` makes the loop read its messages.
  @Test func tasksKeepTheirOrderWhileTheQueueIsDescribed() {
    let loop = LoopThread(running: .default)
    let (numbers, isDone, described) = (Box<[Int]>([]), Box(false), DispatchSemaphore(value: 0))
    Thread {
      while !isDone.value { _ = loop.queue.debugDescription }
      described.signal()
    }.start()
    for number in 0..<5_000 { loop.queue.perform { numbers.add([number]) } }
    waitUntil { numbers.value.count == 5_000 }
    isDone.value = true
    described.waitOrDie("the thread that describes the queue")
    #expect(numbers.value == Array(0..<5_000))
    loop.end()
  }

  @Test func aTaskFromAnotherThreadKeepsARunAlive() {
    elsewhere { queue.perform(when: .idle, forModes: [.custom]) { log("task") } }
    #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
    #expect(RunLoop.current.run(mode: .custom, before: .distantFuture))
    #expect(!RunLoop.current.run(mode: .custom, before: .distantFuture))
    #expect(log.events == ["task"])
  }

  @Test func countIncludesThePendingTasksOfEveryThread() {
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

  @Test func aLoopHasOneQueue() {
    #expect(RunLoop.current.taskQueue == RunLoop.current.taskQueue)
    #expect(Set([RunLoop.current.taskQueue, RunLoop.current.taskQueue, .main]).count == 2)
    #expect(RunLoop.main.taskQueue == .main)
  }
}
