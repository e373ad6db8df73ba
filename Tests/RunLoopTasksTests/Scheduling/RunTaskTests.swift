import Foundation
import RunLoopTasks
import Testing

/// `RunLoop.runTask(coalescedBy:)`. Misuse has tests of its own.
@Suite(.onOwnLoop) struct RunTaskTests {
  let log = Log()

  @Test func theTaskWithTheKeyRunsAtOnceAndOnce() {
    RunLoop.current.perform(when: .idle, after: .seconds(3_000), forModes: [.custom], coalescedBy: 1) { log("1") }
    RunLoop.current.perform(when: .idle, coalescedBy: 2) { log("2") }
    #expect(RunLoop.current.runTask(coalescedBy: 1))
    log("returned")
    #expect(!RunLoop.current.runTask(coalescedBy: 1))
    RunLoop.current.runPass()
    RunLoop.current.advance(by: .seconds(4_000), mode: .custom)
    #expect(log.events == ["1", "returned", "2"])
  }

  @Test func withoutSuchATaskNothingRuns() {
    RunLoop.current.perform { log("no key") }.when(.idle)
    RunLoop.current.perform { log("other type") }.when(.idle).coalesced(by: UInt8(1))
    RunLoop.current.perform { log("cancelled") }.when(.idle).coalesced(by: 2).cancel()
    #expect(!RunLoop.current.runTask(coalescedBy: 1))
    #expect(!RunLoop.current.runTask(coalescedBy: 2))
    #expect(log.events == [])
  }

  @Test func theLatestTaskWithTheKeyRuns() {
    for number in 1...3 { RunLoop.current.perform(when: .idle, coalescedBy: 1) { log("\(number)") } }
    #expect(RunLoop.current.runTask(coalescedBy: 1))
    #expect(log.events == ["3"])
  }

  @Test func theKeyNeedNotBeSendable() {
    final class Owner {}
    struct Key: Hashable {
      let owner: Owner
      static func == (one: Key, other: Key) -> Bool { one.owner === other.owner }
      func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(owner)) }
    }
    let key = Key(owner: Owner())
    RunLoop.current.perform(when: .idle, coalescedBy: key) { log("ran") }
    #expect(!RunLoop.current.runTask(coalescedBy: Key(owner: Owner())))
    #expect(RunLoop.current.runTask(coalescedBy: key))
    #expect(log.events == ["ran"])
  }

  @Test func insideTheTaskTheKeyIsFree() {
    RunLoop.current.perform(when: .idle, coalescedBy: 1) {
      log("first: \(RunLoop.current.runTask(coalescedBy: 1))")
      RunLoop.current.perform(when: .idle, coalescedBy: 1) { log("second") }
      log("again: \(RunLoop.current.runTask(coalescedBy: 1))")
    }
    #expect(RunLoop.current.runTask(coalescedBy: 1))
    #expect(log.events == ["first: false", "second", "again: true"])
  }

  @Test func aTaskOfTheBatchUnderWayRunsInsideAnotherOne() {
    RunLoop.current.perform { log("outer: \(RunLoop.current.runTask(coalescedBy: 1))") }.when(.idle)
    RunLoop.current.perform { log("inner") }.when(.idle).coalesced(by: 1)
    RunLoop.current.runPass()
    #expect(log.events == ["inner", "outer: true"])
  }

  @Test func theIntervalOfAThrottleBegins() {
    let loop = RunLoop.current
    loop.perform(when: .idle, coalescedBy: 1, atMostEvery: .seconds(3_000)) { log("first") }
    #expect(loop.runTask(coalescedBy: 1))
    loop.perform(when: .idle, coalescedBy: 1, atMostEvery: .seconds(3_000)) { log("second") }
    loop.runPass()
    #expect(log.events == ["first"])
    loop.advance(by: .seconds(3_000))
    #expect(log.events == ["first", "second"])
  }

  // MARK: other threads

  @Test func aTaskThatAnotherThreadHasSentRunsBeforeTheLoopLooks() {
    let queue = RunLoop.current.taskQueue
    elsewhere { for number in 1...2 { queue.perform(when: .idle, coalescedBy: 1) { log("\(number)") } } }
    #expect(RunLoop.current.runTask(coalescedBy: 1))
    #expect(!RunLoop.current.runPass())
    #expect(log.events == ["2"])
  }

  @Test func whatAnotherThreadHasCancelledDoesNotRun() {
    let queue = RunLoop.current.taskQueue
    RunLoop.current.perform(when: .idle, coalescedBy: 1) { log("by key") }
    elsewhere { queue.cancelTask(coalescedBy: 1) }
    #expect(!RunLoop.current.runTask(coalescedBy: 1))
    let task = RunLoop.current.perform(when: .idle, coalescedBy: 1) { log("by task") }
    elsewhere { task.cancel() }
    #expect(!RunLoop.current.runTask(coalescedBy: 1))
    #expect(log.events == [])
  }

  @Test func onALoopThatHasEndedNothingRuns() async {
    let thread = RunLoopThread(name: "worker")
    let actor = ThreadActor(thread)
    thread.taskQueue.perform(after: .seconds(3_000), coalescedBy: 1) { log("ran") }
    thread.stop()
    await thread.join()
    #expect(await actor.runTask(coalescedBy: 1) == false)
    #expect(log.events == [])
  }
}

extension ThreadActor {
  fileprivate func runTask(coalescedBy key: Int) -> Bool {
    calls += 1
    return RunLoop.current.runTask(coalescedBy: key)
  }
}
