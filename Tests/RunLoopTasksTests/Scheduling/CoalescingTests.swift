import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 2: `coalesced(by:)`.
@Suite struct CoalescingTests {
  @Test func onlyTheLatestRunsInThePlaceOfTheFirst() {
    let events = eventsOnLoopThread { log in
      let first = RunLoop.current.perform { log("first") }.when(.currentLoopEnded).coalesced(by: "key")
      RunLoop.current.perform { log("between") }.when(.currentLoopEnded)
      RunLoop.current.perform { log("latest") }.when(.currentLoopEnded).coalesced(by: "key")
      log("\(first.state)")
      run()
    }
    #expect(events == ["cancelled", "latest", "between"])
  }

  @Test func thePlaceIsKeptAcrossTimingsAndModes() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("first") }.when(.idle).forModes(.custom).coalesced(by: 1)
      RunLoop.current.perform { log("between") }.when(.currentLoopEnded)
      RunLoop.current.perform { log("latest") }.coalesced(by: 1).when(.currentLoopEnded).forModes(.common)
      run()
      RunLoop.current.runPass(mode: .custom)
    }
    #expect(events == ["latest", "between"])
  }

  @Test func differentKeysAreIndependent() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("one") }.when(.currentLoopEnded).coalesced(by: 1)
      RunLoop.current.perform { log("two") }.when(.currentLoopEnded).coalesced(by: "1")
      run()
    }
    #expect(events == ["one", "two"])
  }

  @Test func calledAgainItChangesTheKey() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("first") }.when(.currentLoopEnded).coalesced(by: 1).coalesced(by: 2)
      RunLoop.current.perform { log("one") }.when(.currentLoopEnded).coalesced(by: 1)
      RunLoop.current.perform { log("two") }.when(.currentLoopEnded).coalesced(by: 2)
      RunLoop.current.perform { log("same") }.when(.currentLoopEnded).coalesced(by: 3).coalesced(by: 3)
      run()
      #expect(Scheduler.current.keys.isEmpty)
    }
    #expect(events == ["two", "one", "same"])
  }

  @Test func aKeyIsForgottenOnceItsTaskHasBegun() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform {
        log("first")
        RunLoop.current.perform { log("again") }.when(.currentLoopEnded).coalesced(by: 1)
      }.when(.currentLoopEnded).coalesced(by: 1)
      RunLoop.current.perform { log("second") }.when(.currentLoopEnded)
      run()
    }
    #expect(events == ["first", "second", "again"])
  }

  @Test func aKeyIsForgottenOnceItsTaskIsCancelled() {
    onLoopThread {
      let task = RunLoop.current.perform {}.when(.currentLoopEnded).coalesced(by: 1)
      #expect(!Scheduler.current.keys.isEmpty)
      task.cancel()
      #expect(Scheduler.current.keys.isEmpty)
    }
  }

  @Test func aReplacementMadeWhileABatchRunsWaitsForTheNext() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      logActivities(log)
      RunLoop.current.perform {
        log("first")
        RunLoop.current.perform {
          log("replacement"); stopRun()
        }.when(.currentLoopEnded).coalesced(by: 1)
      }.when(.currentLoopEnded)
      RunLoop.current.perform { log("replaced") }.when(.currentLoopEnded).coalesced(by: 1)
      RunLoop.current.perform {
        log("third")
        RunLoop.current.perform { log("fourth") }.when(.currentLoopEnded)
      }.when(.currentLoopEnded)
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(
      events == [
        "entry", "beforeWaiting", "first", "third", "afterWaiting", "beforeWaiting", "replacement", "fourth",
        "afterWaiting", "exit",
      ])
  }

  @Test func aTaskOfTheBatchThatReplacesAnotherWaitsForTheNext() {
    let events = eventsOnLoopThread { log in
      let third = Box<RunLoopTask?>(nil)
      RunLoop.current.perform {
        log("first")
        third.value!.coalesced(by: 1)
      }.when(.currentLoopEnded)
      RunLoop.current.perform { log("second") }.when(.currentLoopEnded).coalesced(by: 1)
      third.value = RunLoop.current.perform { log("third") }.when(.currentLoopEnded)
      RunLoop.current.perform { log("fourth") }.when(.currentLoopEnded)
      run()
    }
    #expect(events == ["first", "fourth", "third"])
  }

  @Test func aStrandedReplacementIsNotOlderThanItIs() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      RunLoop.current.perform {}.when(.nextLoopBegan).coalesced(by: 1)
      poll()
      RunLoop.current.perform { log("replacement") }.when(.nextLoopBegan).coalesced(by: 1)
      poll()
      log("left")
      poll()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["left", "replacement"])
  }

  @Test func theReplacedClosureIsReleasedAtOnce() {
    let events = eventsOnLoopThread { log in
      do {
        let token = Token { log("released") }
        RunLoop.current.perform { token.use() }.when(.idle).coalesced(by: 1)
      }
      RunLoop.current.perform {}.when(.idle).coalesced(by: 1)
      log("replaced")
    }
    #expect(events == ["released", "replaced"])
  }

  // MARK: queues

  /// With the replaced one in the same line, and in another.
  @Test func nothingIsRememberedOfAReplacedTaskWhoeverHoldsIt() {
    onLoopThread {
      let tasks = RunLoopTask.Timing.allCases.flatMap { timing in
        (1...2).map { _ in RunLoop.current.taskQueue.perform(when: timing, coalescedBy: 1) {} }
      }
      RunLoop.current.runUntilTasksFinish()
      #expect(tasks.filter { $0.state == .cancelled }.count == 5)
    }
  }

  @Test func aQueueCoalescesInOneStep() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      queue.perform(when: .currentLoopEnded, coalescedBy: "key") { log("first") }
      queue.perform(when: .currentLoopEnded) { log("between") }
      queue.perform(when: .currentLoopEnded, coalescedBy: "key") { log("latest") }
      queue.perform(when: .currentLoopEnded, coalescedBy: "other") { log("other") }
      run()
      #expect(Scheduler.current.keys.isEmpty)
    }
    #expect(events == ["latest", "between", "other"])
  }

  @Test func tasksOfDifferentThreadsCoalesce() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      let first = RunLoop.current.perform { log("first") }.when(.currentLoopEnded).coalesced(by: 1)
      RunLoop.current.perform { log("between") }.when(.currentLoopEnded)
      elsewhere {
        for number in 2...9 {
          queue.perform(when: .currentLoopEnded, forModes: [.common], coalescedBy: 1) { log("\(number)") }
        }
      }
      RunLoop.current.perform { log("latest") }.when(.currentLoopEnded).coalesced(by: 1)
      #expect(first.state == .cancelled)
      #expect(queue.count == 2)
      run()
      #expect(Scheduler.current.keys.isEmpty)
    }
    #expect(events == ["latest", "between"])
  }

  /// It has replaced the first before it was cancelled, though the loop's thread hears of both later.
  @Test func aReplacementThatIsCancelledHasReplaced() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      let first = queue.perform(when: .currentLoopEnded, coalescedBy: 1) { log("first") }
      elsewhere { queue.perform(when: .currentLoopEnded, coalescedBy: 1) { log("second") }.cancel() }
      RunLoop.current.runPass()
      #expect(first.state == .cancelled)
      #expect(Scheduler.current.keys.isEmpty)
    }
    #expect(events == [])
  }

  /// But one that was cancelled before the loop's thread heard of its key has not.
  @Test func aTaskThatIsCancelledBeforeItsKeyIsReadReplacesNothing() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("first") }.when(.currentLoopEnded).coalesced(by: 1)
      let second = RunLoop.current.perform { log("second") }.when(.currentLoopEnded)
      elsewhere { second.coalesced(by: 1).cancel() }
      run()
    }
    #expect(events == ["first"])
  }

  /// Of two threads, one cancels all and schedules, the other schedules with the same key: one of the last two runs.
  @Test func whatCancelAllHasCancelledReplacesNothing() {
    let loop = LoopThread()
    let (runs, rounds) = (Counter(), 2_000)
    for round in 1...rounds {
      let done = DispatchSemaphore(value: 0)
      Thread {
        loop.queue.cancelAll()
        loop.queue.perform(coalescedBy: 1) { runs.count() }
        done.signal()
      }.start()
      loop.perform {
        loop.queue.perform(coalescedBy: 1) { runs.count() }
        done.waitOrDie("the other thread")
        RunLoop.current.runUntilTasksFinish()
      }
      #expect(runs.value >= round)
      #expect(loop.queue.count == 0)
    }
    loop.end()
  }

  @Test func aKeyIsForgottenWhenAnotherThreadHasCancelledItsTask() {
    onLoopThread {
      let queue = RunLoop.current.taskQueue
      elsewhere { queue.perform(coalescedBy: 1) {}.cancel() }
      let own = RunLoop.current.perform {}.when(.idle).coalesced(by: 2)
      elsewhere { own.cancel() }
      RunLoop.current.runPass()
      #expect(Scheduler.current.keys.isEmpty)
    }
  }

  /// Each search through the line would take so long in sum that the watchdog would end it.
  @Test(arguments: ["in one step", "key last", "key first", "in a mode of its own", "in turn with another"])
  func replacingIsNotSlowedDownByALongLine(_ way: String) {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      func schedule(_ event: String) {
        switch way {
        case "in one step", "in turn with another":
          queue.perform(when: .currentLoopEnded, coalescedBy: 1) { log(event) }
        case "key last": RunLoop.current.perform { log(event) }.when(.currentLoopEnded).coalesced(by: 1)
        case "key first": RunLoop.current.perform { log(event) }.coalesced(by: 1).when(.currentLoopEnded)
        default: RunLoop.current.perform { log(event) }.coalesced(by: 1).when(.currentLoopEnded).forModes(.common)
        }
      }
      func scheduleOther() { queue.perform(when: .currentLoopEnded, coalescedBy: 2) {} }
      for _ in 0..<10_000 { queue.perform(when: .currentLoopEnded) {} }
      scheduleOther()
      for _ in 0..<10_000 { queue.perform(when: .currentLoopEnded) {} }
      RunLoop.current.perform { log("before") }.when(.currentLoopEnded)
      schedule("first")
      RunLoop.current.perform { log("after") }.when(.currentLoopEnded)
      for _ in 0..<20_000 { queue.perform(when: .currentLoopEnded) {} }
      for _ in 0..<100_000 {
        if way == "in turn with another" { scheduleOther() }
        schedule("replacement")
      }
      run()
    }
    #expect(events == ["before", "replacement", "after"])
  }
}
