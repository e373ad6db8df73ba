import Foundation
import RunLoopTasks
import Testing

/// A task can be amended until its closure starts.
@Suite(.onOwnLoop) struct AmendingTests {
  let log = Log()

  @Test func theLastAmendmentCounts() {
    RunLoop.current.perform { log("task") }
      .when(.idle).forModes(.default).when(.currentLoopEnded).forModes([.custom])
    RunLoop.current.runPass()
    log("custom")
    logActivities(log, in: .custom)
    RunLoop.current.runPass(mode: .custom)
    #expect(log.events == ["custom", "entry", "beforeWaiting", "task", "afterWaiting", "exit"])
  }

  @Test func modesMayBeListedOrASequence() {
    keepAlive(.other)
    RunLoop.current.perform { log("listed") }.when(.currentLoopEnded).forModes(.custom, .other)
    RunLoop.current.perform { log("set") }.when(.currentLoopEnded).forModes(Set([.other, .custom]))
    RunLoop.current.perform { log("twice") }.when(.currentLoopEnded).forModes(.other, .other)
    RunLoop.current.runPass()
    log("other")
    RunLoop.current.runPass(mode: .other)
    #expect(log.events == ["other", "listed", "set", "twice"])
  }

  @Test func aTaskOfTheBatchUnderWayCanBeAmended() {
    let second = Box<RunLoopTask?>(nil)
    RunLoop.current.perform {
      log("first")
      second.value!.when(.nextLoopBegan)
    }.when(.currentLoopEnded)
    second.value = RunLoop.current.perform { log("second") }.when(.currentLoopEnded)
    logActivities(log)
    run()
    #expect(log.events == ["entry", "beforeWaiting", "first", "afterWaiting", "second", "exit"])
  }

  @Test func amendmentsHaveNoEffectOnceTheClosureHasStarted() {
    let task = Box<RunLoopTask?>(nil)
    task.value = RunLoop.current.perform {
      log("task")
      task.value!.when(.idle).forModes(.custom).coalesced(by: NumberedKey(1) { log("key released") })
    }.when(.currentLoopEnded)
    RunLoop.current.runPass()
    task.value!.when(.idle).forModes(.custom).coalesced(by: NumberedKey(1) { log("key released") })
    RunLoop.current.runPass()
    RunLoop.current.runPass(mode: .custom)
    #expect(log.events == ["task", "key released", "key released"])
  }

  @Test func amendmentsKeepThePlaceInLine() {
    let tasks = (0..<6).map { number in
      RunLoop.current.perform { log("\(number)") }.when(number.isMultiple(of: 2) ? .idle : .currentLoopEnded)
    }
    for number in [4, 0, 2] { tasks[number].when(.currentLoopEnded) }
    for number in [5, 1] { tasks[number].forModes(.common) }
    run()
    #expect(log.events == ["0", "1", "2", "3", "4", "5"])
  }
}
