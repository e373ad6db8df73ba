import Foundation
import RunLoopTasks
import Testing

/// Another thread changes the keys of tasks that are in the mailbox, and of the loop's own tasks.
@Suite(.onOwnLoop) struct KeyChangeTests {
  let log = Log()

  @Test func aTaskThatHasGivenItsKeyAwayIsNotReplaced() {
    let queue = RunLoop.current.taskQueue
    let own = RunLoop.current.perform { log("own") }.when(.currentLoopEnded).coalesced(by: "k")
    elsewhere {
      let posted = queue.perform(when: .currentLoopEnded) { log("posted") }
      own.coalesced(by: "other")
      posted.coalesced(by: "k")
    }
    run()
    #expect(log.events == ["own", "posted"])
  }

  @Test func theLatestTaskThatIsGivenAKeyReplacesTheOther() {
    let queue = RunLoop.current.taskQueue
    let own = RunLoop.current.perform { log("own") }.when(.currentLoopEnded)
    elsewhere {
      let posted = queue.perform(when: .currentLoopEnded) { log("posted") }
      own.coalesced(by: "k")
      posted.coalesced(by: "k")
    }
    run()
    #expect(log.events == ["posted"])
  }

  /// The key of a posted task changes behind that of an own task. A later task with its old key does not replace it.
  @Test func aPostedTaskKeepsItsPlaceAmongTheChanges() {
    let queue = RunLoop.current.taskQueue
    let own = RunLoop.current.perform { log("own") }.when(.currentLoopEnded)
    elsewhere {
      let posted = queue.perform(when: .currentLoopEnded, coalescedBy: "old") { log("posted") }
      own.coalesced(by: "k")
      posted.coalesced(by: "new")
      queue.perform(when: .currentLoopEnded, coalescedBy: "old") { log("next") }
      queue.perform(when: .currentLoopEnded, coalescedBy: "new") { log("last") }
    }
    run()
    #expect(log.events == ["own", "last", "next"])
  }

  @Test func aSecondCancellationOfAKeyMeetsTheTaskThatWasGivenItInBetween() {
    let queue = RunLoop.current.taskQueue
    let own = RunLoop.current.perform { log("own") }.when(.currentLoopEnded)
    elsewhere {
      let post = { @Sendable name in
        queue.perform(when: .currentLoopEnded, coalescedBy: "k") { log(name) }
      }
      _ = post("first")
      queue.cancelTask(coalescedBy: "k")
      _ = post("second")
      own.coalesced(by: "k")
      _ = post("third")
      queue.cancelTask(coalescedBy: "k")
      post("fourth").coalesced(by: "other")
    }
    run()
    #expect(log.events == ["fourth"])
  }

  @Test(arguments: [true, false])
  func aKeyThatEqualsNoneTakesTheOldKeyAway(isPosted: Bool) {
    let queue = RunLoop.current.taskQueue
    let perform = { @Sendable in
      queue.perform(when: .currentLoopEnded, coalescedBy: "k") { log("1") }.coalesced(by: Double.nan)
      queue.perform(when: .currentLoopEnded, coalescedBy: "k") { log("2") }
    }
    if isPosted { elsewhere { _ = perform() } } else { _ = perform() }
    run()
    #expect(log.events == ["1", "2"])
  }

  @Test func aTaskWhoseKeyIsTakenAwayNoLongerWaitsForTheInterval() {
    let loop = RunLoop.current
    loop.perform { log("1") }.coalesced(by: "k", atMostEvery: .seconds(1_000))
    loop.runPass()
    loop.perform { log("2") }.coalesced(by: "k", atMostEvery: .seconds(1_000)).coalesced(by: Double.nan)
    loop.runPass()
    #expect(log.events == ["1", "2"])
  }

  /// `perform(coalescedBy:)` takes an optional key, and the compiler removes the optional.
  @Test func anOptionalKeyEqualsItsValueInEachForm() {
    let states = onLoopThread { () -> [RunLoopTask.State] in
      let queue = RunLoop.current.taskQueue
      let key: Int? = 5
      let task = queue.perform(coalescedBy: key) {}
      let next = queue.perform {}.coalesced(by: key)
      var states = [task.state, next.state]
      queue.cancelTask(coalescedBy: key)
      states.append(next.state)
      let erased = RunLoop.current.perform(when: .idle, coalescedBy: AnyHashable("save")) {}
      queue.cancelTask(coalescedBy: "save")
      return states + [erased.state]
    }
    #expect(states == [.cancelled, .pending, .cancelled, .cancelled])
  }
}
