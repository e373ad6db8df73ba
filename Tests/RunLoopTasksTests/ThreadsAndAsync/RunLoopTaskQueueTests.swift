import Foundation
import Testing

@testable import RunLoopTasks

/// `RunLoopTaskQueue.perform` from any thread, and the identity of a queue.
@Suite(.onOwnLoop) struct RunLoopTaskQueueTests {
  let log = Log()

  @Test func defaultsAreTheNextPassAndTheDefaultMode() {
    let queue = RunLoop.current.taskQueue
    elsewhere { queue.perform { log("task") } }
    RunLoop.current.runPass(mode: .custom)
    logActivities(log)
    run()
    #expect(log.events == ["entry", "beforeWaiting", "afterWaiting", "task", "exit"])
  }

  @Test func tasksOfOneThreadKeepTheirOrder() {
    let queue = RunLoop.current.taskQueue
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
    let queue = RunLoop.current.taskQueue
    elsewhere { queue.perform(when: .idle, forModes: [.custom]) { log("task") } }
    #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
    #expect(RunLoop.current.run(mode: .custom, before: .distantFuture))
    #expect(!RunLoop.current.run(mode: .custom, before: .distantFuture))
    #expect(log.events == ["task"])
  }

  // MARK: identity

  @Test func aLoopHasOneQueue() {
    #expect(RunLoop.current.taskQueue == RunLoop.current.taskQueue)
    #expect(Set([RunLoop.current.taskQueue, RunLoop.current.taskQueue, .main]).count == 2)
    #expect(RunLoop.main.taskQueue == .main)
  }

  @Test func schedulingOnOtherLoopsCreatesNoEngine() {
    let own = onLoopThread { RunLoop.current.taskQueue }
    elsewhere {
      for queue in [RunLoopTaskQueue.main, own] { queue.perform {}.cancel() }
      #expect(ThreadLocalScheduler.scheduler == nil)
      #expect(ThreadLocalScheduler.holds(own.scheduler) == false)  // The answer is cached, because the lookup is slow.
    }
  }

  @Test func addingACommonModeToAnotherLoopCreatesNoEngine() {
    let loop = LoopThread()
    loop.queue.perform(forModes: [.common]) {}
    elsewhere {
      loop.makeCommon(.custom)
      #expect(ThreadLocalScheduler.scheduler == nil)
    }
    loop.end()
  }
}
