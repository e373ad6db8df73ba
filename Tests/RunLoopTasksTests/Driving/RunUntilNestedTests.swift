import Foundation
import RunLoopTasks
import Testing

/// `RunLoop.runUntil` and nested runs.
@Suite(.onOwnLoop) struct RunUntilNestedTests {
  let log = Log()

  @Test func aTaskMayCallRunUntil() {
    let (inner, outer) = (Box(false), Box(false))
    RunLoop.current.perform {
      log("{")
      RunLoop.current.perform {
        log("inner")
        inner.value = true
      }.when(.nextLoopBegan)
      RunLoop.current.runUntil(timeout: nil) { inner.value }
      log("}")
      RunLoop.current.perform { outer.value = true }.after(.milliseconds(5))
    }.when(.nextLoopBegan)
    log("\(RunLoop.current.runUntil(timeout: nil) { outer.value })")
    #expect(log.events == ["{", "inner", "}", "true"])
  }

  /// The outer condition becomes true in the inner run, which continues until its own condition holds.
  @Test(arguments: [RunLoop.Mode.default, .custom]) func theOuterConditionDoesNotEndTheInnerRun(mode: RunLoop.Mode) {
    let (inner, outer) = (Box(false), Box(false))
    RunLoop.current.perform {
      outer.value = true
      RunLoop.current.perform { inner.value = true }.forModes(mode).after(.milliseconds(5))
      log("inner \(RunLoop.current.runUntil(mode: mode, timeout: nil) { inner.value })")
    }.when(.nextLoopBegan)
    log("outer \(RunLoop.current.runUntil(timeout: nil) { outer.value })")
    #expect(log.events == ["inner true", "outer true"])
  }

  @Test func theConditionDoesNotStopANestedRunOfATask() {
    let holds = Box(false)
    RunLoop.current.perform {
      keepAlive(.default)
      holds.value = true
      RunLoop.current.perform {
        log("nested")
        stopRun()
      }.after(.milliseconds(5))
      run()
    }.when(.nextLoopBegan)
    log("\(RunLoop.current.runUntil(timeout: nil) { holds.value })")
    #expect(log.events == ["nested", "true"])
  }

  @Test func theConditionMayRunTheLoop() {
    let holds = Box(false)
    RunLoop.current.perform {
      log("first")
      RunLoop.current.perform { holds.value = true }.when(.currentLoopEnded).after(.milliseconds(5))
    }.when(.nextLoopBegan)
    let result = RunLoop.current.runUntil(timeout: nil) {
      RunLoop.current.runPass()
      return holds.value
    }
    log("\(result)")
    #expect(log.events == ["first", "true"])
  }

  @Test func theLoopDoesNotSleepOnATaskThatTheConditionSchedules() {
    let (once, holds) = (Counter(), Box(false))
    let result = RunLoop.current.runUntil(timeout: nil) {
      if once.count() == 2 { RunLoop.current.perform { holds.value = true }.when(.idle) }
      return holds.value
    }
    log("\(result)")
    #expect(log.events == ["true"])
  }

  /// The limit of the outer run wakes the loop, and the nested run consumes the wake-up. No other check follows before
  /// the outer run sleeps.
  @Test func theTimeoutMayPassInANestedRun() {
    keepAlive(.default)
    func performNestedRun() {
      performBlock { log("nested \(RunLoop.current.runUntil(mode: .custom, timeout: .milliseconds(20)) { false })") }
    }
    performNestedRun()
    log("outer \(RunLoop.current.runUntil(timeout: .milliseconds(1)) { false })")
    let task = RunLoop.current.perform {}.after(.seconds(3600))
    performNestedRun()
    log("tasks \(RunLoop.current.runUntilTasksFinish(timeout: .milliseconds(1)))")
    task.cancel()
    #expect(log.events == ["nested false", "outer false", "nested false", "tasks false"])
  }
}
