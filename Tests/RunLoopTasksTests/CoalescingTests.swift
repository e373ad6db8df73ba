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
      #expect(Scheduler.current.keys.count == 1)
      task.cancel()
      #expect(Scheduler.current.keys.isEmpty)
    }
  }

  @Test func aReplacementMadeWhileABatchRunsWaitsForTheNext() {
    let events = eventsOnLoopThread { log in
      let keepAlive = KeepAlive()
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
      let keepAlive = KeepAlive()
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
}
