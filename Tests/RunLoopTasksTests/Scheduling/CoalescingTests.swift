import Foundation
import Testing

@testable import RunLoopTasks

/// Coalescing with `coalesced(by:)` on the loop's own thread.
@Suite struct CoalescingTests {
  @Test func onlyTheLatestTaskRunsInThePlaceOfTheFirst() {
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

  @Test func tasksWithDifferentKeysAllRun() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("one") }.when(.currentLoopEnded).coalesced(by: 1)
      RunLoop.current.perform { log("two") }.when(.currentLoopEnded).coalesced(by: "1")
      run()
    }
    #expect(events == ["one", "two"])
  }

  @Test func aSecondCallChangesTheKey() {
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

  @Test func aKeyIsForgottenOnceItsTaskHasStarted() {
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

  @Test func aReplacementMadeWhileABatchRunsWaitsForTheNextBatch() {
    let events = eventsOnLoopThread(keepingAlive: [.default]) { log in
      logActivities(log)
      RunLoop.current.perform {
        log("first")
        RunLoop.current.perform { log.andStop("replacement") }.when(.currentLoopEnded).coalesced(by: 1)
      }.when(.currentLoopEnded)
      RunLoop.current.perform { log("replaced") }.when(.currentLoopEnded).coalesced(by: 1)
      RunLoop.current.perform {
        log("third")
        RunLoop.current.perform { log("fourth") }.when(.currentLoopEnded)
      }.when(.currentLoopEnded)
      run()
    }
    #expect(
      events == [
        "entry", "beforeWaiting", "first", "third", "afterWaiting", "beforeWaiting", "replacement", "fourth",
        "afterWaiting", "exit",
      ])
  }

  @Test func aTaskOfABatchThatReplacesAnotherWaitsForTheNextBatch() {
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

  /// A run was left after the scheduling of the replaced task and before the replacement.
  @Test func aReplacementIsNotDueAtEntryForTheRunsOfTheReplacedTask() {
    let events = eventsOnLoopThread(keepingAlive: [.default]) { log in
      RunLoop.current.perform {}.when(.nextLoopBegan).coalesced(by: 1)
      poll()
      RunLoop.current.perform { log("replacement") }.when(.nextLoopBegan).coalesced(by: 1)
      poll()
      log("left")
      poll()
    }
    #expect(events == ["left", "replacement"])
  }

  @Test func aReplacedClosureIsReleasedAtOnce() {
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

  @Test func aTaskReplacedByTasksOfTheSameAndOtherTimingsIsCancelled() {
    onLoopThread {
      let tasks = RunLoopTask.Timing.allCases.flatMap { timing in
        (1...2).map { _ in RunLoop.current.taskQueue.perform(when: timing, coalescedBy: 1) {} }
      }
      RunLoop.current.runUntilTasksFinish()
      #expect(tasks.filter { $0.state == .cancelled }.count == 5)
    }
  }

  @Test func aKeyThatDoesNotEqualItselfIsIgnored() {
    let events = eventsOnLoopThread { log in
      for number in 1...3 {
        RunLoop.current.perform { log("\(number)") }.when(.currentLoopEnded).coalesced(by: Double.nan)
      }
      #expect(Scheduler.current.keys.isEmpty)
      run()
    }
    #expect(events == ["1", "2", "3"])
  }

  enum Way: CaseIterable { case oneStep, keyLast, keyFirst, otherMode, alternateKeys }

  /// If each replacement searched the pending tasks, the test would hit the watchdog.
  @Test(arguments: Way.allCases)
  func replacingATaskTakesNoLongerAmongManyTasks(_ way: Way) {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      func schedule(_ event: String) {
        switch way {
        case .oneStep, .alternateKeys:
          queue.perform(when: .currentLoopEnded, coalescedBy: 1) { log(event) }
        case .keyLast: RunLoop.current.perform { log(event) }.when(.currentLoopEnded).coalesced(by: 1)
        case .keyFirst: RunLoop.current.perform { log(event) }.coalesced(by: 1).when(.currentLoopEnded)
        case .otherMode:
          RunLoop.current.perform { log(event) }.coalesced(by: 1).when(.currentLoopEnded).forModes(.common)
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
        if way == .alternateKeys { scheduleOther() }
        schedule("replacement")
      }
      run()
    }
    #expect(events == ["before", "replacement", "after"])
  }
}
