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

  @Test func onItsOwnThreadAQueueSchedulesLikePerform() {
    RunLoop.current.perform { log("1") }.when(.currentLoopEnded)
    RunLoop.current.taskQueue.perform(when: .currentLoopEnded, forModes: [.common]) { log("2") }
    RunLoop.current.perform { log("3") }.when(.currentLoopEnded)
    run()
    #expect(log.events == ["1", "2", "3"])
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

  @Test func changesFromAnotherThreadTakeEffect() {
    let first = RunLoop.current.perform { log("first") }.when(.idle).forModes(.other)
    RunLoop.current.perform { log("second") }.when(.currentLoopEnded).forModes(.custom)
    elsewhere { first.when(.currentLoopEnded).forModes(.custom) }
    run(.custom)
    #expect(log.events == ["first", "second"])
  }

  @Test func changesOfSeveralThreadsTakeEffectInTheirOrder() {
    let queue = RunLoop.current.taskQueue
    let posted = Box<RunLoopTask?>(nil)
    elsewhere { posted.value = queue.perform(when: .idle, forModes: [.other]) { log("posted") } }
    posted.value!.when(.currentLoopEnded).forModes(.custom)
    let own = RunLoop.current.perform { log("own") }.when(.currentLoopEnded).forModes(.custom)
    elsewhere { own.when(.idle) }
    own.when(.currentLoopEnded)
    logActivities(log, in: .custom)
    RunLoop.current.runPass(mode: .custom)
    #expect(log.events == ["entry", "beforeWaiting", "posted", "own", "afterWaiting", "exit"])
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
