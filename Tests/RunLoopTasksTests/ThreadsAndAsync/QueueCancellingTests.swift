import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 4: `count` and `cancelAll`.
@Suite struct QueueCancellingTests {
  // MARK: count

  @Test func countIsOfPendingTasksWhoeverScheduledThem() {
    onLoopThread {
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

  /// Another thread may be late with one that was cancelled with all others.
  @Test func countIsOfTheLatestGeneration() {
    for onLoopThread in [true, false] {
      let count = PendingCount()
      count.add(1, of: count.generation, onLoopThread: onLoopThread)
      let old = count.generation
      count.beginGeneration()
      #expect(count.value == 0)
      for _ in 1...3 { count.add(1, of: count.generation, onLoopThread: onLoopThread) }
      count.add(-1, of: old, onLoopThread: onLoopThread)
      #expect(count.value == 3)
    }
  }

  @Test func threadsThatCountAtOnceAreAllCounted() {
    let loop = LoopThread()
    let scheduler = loop.queue.scheduler
    DispatchQueue.concurrentPerform(iterations: 4) { number in
      @Sendable func count(onLoopThread: Bool) {
        for _ in 1...20_000 { scheduler.pendingCount.add(1, of: 0, onLoopThread: onLoopThread) }
      }
      if number == 0 { loop.perform { count(onLoopThread: true) } } else { count(onLoopThread: false) }
    }
    #expect(loop.queue.count == 80_000)
    loop.end()
  }

  // MARK: cancelAll

  @Test func cancelAllCancelsAndReleasesAtOnceOnTheLoopsOwnThread() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      let tasks = RunLoopTask.Timing.allCases.map { timing in
        let token = Token { log("released") }
        return RunLoop.current.perform { token.use() }.when(timing).forModes(.custom, .default).coalesced(by: timing)
      }
      elsewhere {
        let token = Token { log("released") }  // which nobody holds but the task
        queue.perform { token.use() }
      }
      queue.cancelAll()
      #expect(queue.count == 0)
      #expect(tasks.allSatisfy { $0.state == .cancelled && !$0.cancel() })
      #expect(Scheduler.current.keys.isEmpty)
      log("later")
      RunLoop.current.perform { log("new") }.when(.currentLoopEnded)
      #expect(queue.count == 1)
      RunLoop.current.perform {}.when(.currentLoopEnded)
      #expect(queue.count == 2)
      run()
      _ = RunLoop.current.run(mode: .custom, before: .distantFuture)  // returns
    }
    #expect(events == ["released", "released", "released", "released", "later", "new"])
  }

  @Test(arguments: [true, false]) func cancelAllOnAnotherThreadEndsTheBatchUnderWay(inOneLane: Bool) {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      for number in 1...3 {
        RunLoop.current.perform {
          log("\(number)")
          elsewhere { queue.cancelAll() }
        }.when(.currentLoopEnded).forModes(inOneLane || number == 1 ? .default : .common)
      }
      RunLoop.current.runPass()
    }
    #expect(events == ["1"])
  }

  /// The loop is not being run meanwhile: what is cancelled is so for all to see, wherever it waits.
  @Test func cancelAllDecidesAtOnceOnOtherThreads() {
    let events = eventsOnLoopThread { log in
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
      own.when(.idle)  // too late
      #expect(RunLoop.current.runUntilTasksFinish())
      #expect(queue.count == 0)
    }
    #expect(events == ["released on the loop's thread: true", "new"])
  }

  @Test func cancelAllCutsABatchShort() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      RunLoop.current.perform {
        log("first")
        elsewhere { queue.cancelAll() }
        RunLoop.current.perform { log("new") }.when(.currentLoopEnded)
      }.when(.currentLoopEnded)
      RunLoop.current.perform { log("second") }.when(.currentLoopEnded)
      RunLoop.current.perform { log("third") }.when(.nextLoopBegan)
      run()
    }
    #expect(events == ["first", "new"])
  }

  @Test func whatWasStillToRunInTheBatchIsReleasedWhoeverHoldsIt() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      RunLoop.current.perform { elsewhere { queue.cancelAll() } }.when(.currentLoopEnded)
      let second: RunLoopTask = {
        let token = Token { log("released") }
        return RunLoop.current.perform { token.use() }.when(.currentLoopEnded)
      }()
      run()
      log("\(second.state)")
    }
    #expect(events == ["released", "cancelled"])
  }

  @Test func aTaskThatHasBegunGoesOn() {
    onLoopThread {
      let queue = RunLoop.current.taskQueue
      let task = Box<RunLoopTask?>(nil)
      task.value = RunLoop.current.perform {
        elsewhere { queue.cancelAll() }
        #expect(task.value?.state == .running)
      }.when(.currentLoopEnded)
      run()
      #expect(task.value?.state == .finished)
    }
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

  @Test func aPostThatTheLoopsThreadCancelsBeforeItIsReadLeavesNothing() {
    onLoopThread {
      let queue = RunLoop.current.taskQueue
      let posted = Box<RunLoopTask?>(nil)
      elsewhere { posted.value = queue.perform(when: .idle, forModes: [.custom]) {} }
      posted.value!.cancel()
      #expect(queue.count == 0)
      _ = RunLoop.current.run(mode: .custom, before: .distantFuture)  // returns
    }
  }

  /// A cancelled task has no place to give away.
  @Test func aReplacementOfACancelledTaskGoesToTheEnd() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      queue.perform(when: .currentLoopEnded, coalescedBy: 1) { log("cancelled") }
      elsewhere {
        queue.cancelAll()
        queue.perform(when: .currentLoopEnded) { log("first") }
        queue.perform(when: .currentLoopEnded, coalescedBy: 1) { log("second") }
      }
      run()
    }
    #expect(events == ["first", "second"])
  }

  @Test func aReplacementOfATaskThatItsThreadThenCancelsGoesToTheEnd() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      let first = queue.perform(when: .currentLoopEnded, coalescedBy: 1) { log("cancelled") }
      queue.perform(when: .currentLoopEnded) { log("between") }
      elsewhere {
        queue.perform(when: .currentLoopEnded, coalescedBy: 1) { log("replacement") }
        first.cancel()
      }
      run()
    }
    #expect(events == ["between", "replacement"])
  }

  /// What another thread had made before, and posts after the loop's own has cancelled all and scheduled anew.
  @Test func aPostThatCancelAllOvertookReplacesNothing() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      let scheduler = Scheduler.current
      let late = RunLoopTask(scheduler, fileID: #fileID, line: #line) { log("late") }
      late.enterPending(onLoopThread: false)
      queue.cancelAll()
      queue.perform(when: .currentLoopEnded, coalescedBy: 1) { log("new") }
      elsewhere {
        late.madeOptions.key = AnyHashable(1)
        scheduler.hasMessages.store(true, ordering: .releasing)
        #expect(!scheduler.attachment.withLock { $0.schedule(late, [.default]).isRefused })
      }
      run()
      #expect(late.state == .cancelled && late.closure == nil)
    }
    #expect(events == ["new"])
  }

  @Test func nothingHappensOnALoopThatHasEnded() {
    let queue = endedQueue()
    queue.cancelAll()
    queue.budget = .seconds(1)
    #expect(queue.count == 0)
    #expect(queue.perform(coalescedBy: 1) {}.state == .cancelled)
  }
}
