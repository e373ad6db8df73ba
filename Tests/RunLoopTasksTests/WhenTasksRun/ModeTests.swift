import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// A task may name any mode. An empty mode leaves the tasks of other modes pending.
@Suite(.onOwnLoop) struct ModeTests {
  let log = Log()

  @Test(arguments: RunLoopTask.Timing.allCases)
  func tasksOfAModeThatIsNotCommonRunOnlyThere(timing: RunLoopTask.Timing) {
    RunLoop.current.perform { log("custom") }.when(timing).forModes(.custom)
    RunLoop.current.perform { log("common") }.when(timing).forModes(.common)
    #expect(RunLoop.current.run(mode: .custom, before: .distantFuture))
    log("returned")
    #expect(RunLoop.current.run(mode: .default, before: .distantFuture))
    #expect(log.events == ["custom", "returned", "common"])
  }

  // MARK: a mode that becomes a common mode after the scheduling

  @Test(arguments: RunLoopTask.Timing.allCases)
  func tasksRunInAModeThatBecomesCommonBetweenRuns(timing: RunLoopTask.Timing) {
    RunLoop.current.perform { log("task") }.when(timing).forModes(.common)
    _ = RunLoop.current.run(mode: .custom, before: .distantFuture)
    makeCommon(.custom)
    #expect(RunLoop.current.run(mode: .custom, before: .distantFuture))
    #expect(log.events == ["task"])
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func tasksRunFromTheNextActivityOnInAModeThatBecomesCommonInItsRun(timing: RunLoopTask.Timing) {
    keepAlive(.custom)
    RunLoop.current.perform { log.andStop("task") }.when(timing).forModes(.common)
    addTimer(in: .custom) { makeCommon(.custom) }
    run(.custom)
    #expect(log.events == ["task"])
  }

  /// The names are equal, although CoreFoundation tells them apart. Where Foundation does so too, they are two modes.
  @Test(.enabled(if: RunLoop.Mode("caf\u{e9}") == RunLoop.Mode("cafe\u{301}")))
  func theNameOfAModeMayBeSpelledInTwoWays() {
    let (one, other) = (RunLoop.Mode("caf\u{e9}"), RunLoop.Mode("cafe\u{301}"))
    RunLoop.current.perform { log("pass") }.forModes(one)
    let observer = RunLoop.current.observe(.entry, forModes: [other]) { _ in log("entry") }
    #expect(RunLoop.current.runPass(mode: other))
    observer.invalidate()
    RunLoop.current.perform { log("run") }.forModes(one)
    RunLoop.current.runUntil(mode: other) { log.events.count == 3 }
    #expect(log.events == ["entry", "pass", "run"])
  }

  /// A C string would end at the NUL.
  @Test(arguments: ["a\0b", "\0", "a\0"]) func aModeMayHaveAnyName(name: String) {
    let mode = RunLoop.Mode(name)
    RunLoop.current.perform { log("task") }.forModes(mode)
    #expect(!RunLoop.current.runPass(mode: RunLoop.Mode("a")))
    #expect(RunLoop.current.runPass(mode: mode))
    #expect(log.events == ["task"])
  }
}
