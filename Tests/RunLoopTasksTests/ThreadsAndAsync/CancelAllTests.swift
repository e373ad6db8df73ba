import Foundation
import RunLoopTasks
import Testing

/// `RunLoopTaskQueue.cancelAll`.
@Suite(.onOwnLoop) struct CancelAllTests {
  let log = Log()
  let keys = Keys()

  @Test func onTheLoopsThreadCancelAllCancelsAndReleasesAtOnce() {
    let queue = RunLoop.current.taskQueue
    let tasks = RunLoopTask.Timing.allCases.map { timing in
      let token = Token { log("released") }
      return RunLoop.current.perform { token.use() }.when(timing).forModes(.custom, .default).coalesced(
        by: keys(timing.hashValue))
    }
    elsewhere {
      let token = Token { log("released") }  // Only the task holds it.
      queue.perform { token.use() }
    }
    queue.cancelAll()
    #expect(queue.count == 0)
    #expect(tasks.allSatisfy { $0.state == .cancelled && !$0.cancel() })
    #expect(keys.held == 0)
    log("later")
    RunLoop.current.perform { log("new") }.when(.currentLoopEnded)
    #expect(queue.count == 1)
    RunLoop.current.perform {}.when(.currentLoopEnded)
    #expect(queue.count == 2)
    run()
    _ = RunLoop.current.run(mode: .custom, before: .distantFuture)  // returns
    #expect(log.events == ["released", "released", "released", "released", "later", "new"])
  }

  /// The loop does not run meanwhile.
  @Test func onAnotherThreadCancelAllCancelsAtOnce() {
    let queue = RunLoop.current.taskQueue
    let thread = ThreadID.current
    let own = RunLoop.current.perform { log("own") }.when(.currentLoopEnded)
    let scheduled: RunLoopTask = {
      let token = Token { log("released on the loop's thread: \(ThreadID.current == thread)") }
      return RunLoop.current.perform { token.use() }.when(.idle)
    }()
    elsewhere {
      let posted = queue.perform { log("posted") }
      queue.cancelAll()
      #expect(queue.count == 0)
      for task in [own, scheduled, posted] {
        #expect(task.state == .cancelled)
        #expect(!task.cancel())
      }
      queue.perform(when: .currentLoopEnded) { log("new") }
      #expect(queue.count == 1)
    }
    own.when(.idle)  // no effect
    #expect(RunLoop.current.runUntilTasksFinish())
    #expect(queue.count == 0)
    #expect(log.events == ["released on the loop's thread: true", "new"])
  }

  @Test func cancelAllWakesTheLoopToRelease() {
    let loop = LoopThread(running: .default)
    let isReleased = DispatchSemaphore(value: 0)
    let task: RunLoopTask = {
      let token = Token { isReleased.signal() }
      return loop.queue.perform(forModes: [.other]) { token.use() }
    }()
    waitUntil { loop.isSleeping }
    loop.queue.cancelAll()
    isReleased.waitOrDie("the release")
    #expect(task.state == .cancelled)
    loop.end()
  }

  @Test(arguments: [true, false]) func cancelAllEndsTheCurrentBatch(inOneMode: Bool) {
    let queue = RunLoop.current.taskQueue
    for number in 1...3 {
      RunLoop.current.perform {
        log("\(number)")
        elsewhere { queue.cancelAll() }
      }.when(.currentLoopEnded).forModes(inOneMode || number == 1 ? .default : .common)
    }
    RunLoop.current.runPass()
    #expect(log.events == ["1"])
  }

  @Test func cancelAllReleasesTheRemainderOfTheBatchAlthoughATaskIsHeld() {
    let queue = RunLoop.current.taskQueue
    RunLoop.current.perform { elsewhere { queue.cancelAll() } }.when(.currentLoopEnded)
    let second: RunLoopTask = {
      let token = Token { log("released") }
      return RunLoop.current.perform { token.use() }.when(.currentLoopEnded)
    }()
    run()
    log("\(second.state)")
    #expect(log.events == ["released", "cancelled"])
  }

  @Test func aRunningTaskContinues() {
    let queue = RunLoop.current.taskQueue
    let task = Box<RunLoopTask?>(nil)
    task.value = RunLoop.current.perform {
      elsewhere { queue.cancelAll() }
      #expect(task.value?.state == .running)
    }.when(.currentLoopEnded)
    run()
    #expect(task.value?.state == .finished)
  }

  @Test func aLoopThatHasEndedIgnoresTheCall() {
    let queue = endedQueue()
    queue.cancelAll()
    queue.budget = .seconds(1)
    #expect(queue.count == 0)
    #expect(queue.perform(coalescedBy: 1) {}.state == .cancelled)
  }
}
