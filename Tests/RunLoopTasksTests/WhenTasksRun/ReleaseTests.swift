import Foundation
import RunLoopTasks
import Testing

/// The release of a cancelled closure may schedule tasks and run the loop.
@Suite(.onOwnLoop) struct ReleaseTests {
  let log = Log()

  @Test(arguments: [RunLoop.Activity.entry, .beforeWaiting, .afterWaiting, .exit], RunLoopTask.Timing.allCases)
  func theReleaseOfACancelledClosureMayRunTheLoop(activity: RunLoop.Activity, timing: RunLoopTask.Timing) {
    keepAlive(.default)
    let task = RunLoop.current.perform(
      when: .idle,
      closure(whenReleased: {
        log("{")
        RunLoop.current.perform { log.andStop("task") }.when(timing)
        run()
        log("}")
      }))
    RunLoop.current.perform {}.when(.idle).forModes(.other)
    RunLoop.current.perform {}.when(.nextLoopBegan)
    observeOnce(activity, order: Order.app) { elsewhere { task.cancel() } }
    RunLoop.current.runUntilTasksFinish()
    #expect(log.events == ["{", "task", "}"])
  }

  /// `perform` reads the cancellation, and releases the closure.
  @Test func aTaskDoesNotRunBeforeItsModeIsSet() {
    let task = RunLoop.current.perform(when: .idle, closure(whenReleased: { RunLoop.current.runPass() }))
    elsewhere { task.cancel() }
    RunLoop.current.perform { log("task") }.forModes(.custom)
    log("mode is set")
    RunLoop.current.runPass(mode: .custom)
    #expect(log.events == ["mode is set", "task"])
  }

  /// A run nested in another mode consumes the wake-up of the message, and the next event is an hour away.
  @Test func theLoopReleasesACancelledClosureBeforeItSleepsUntilADelayEnds() {
    keepAlive(.other)
    let task = RunLoop.current.taskQueue.perform(
      after: .seconds(3_600), closure(whenReleased: { log.andStop("released") }))
    RunLoop.current.perform {}.after(.seconds(3_600))
    observeOnce(.beforeWaiting, order: Order.frame) {
      elsewhere { task.cancel() }
      poll(.other)
    }
    run()
    #expect(log.events == ["released"])
  }
}
