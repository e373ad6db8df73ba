import Foundation
import RunLoopTasks
import Testing

/// What the last check before a sleep sees to, where tasks are left that the loop cannot run yet.
@Suite(.onOwnLoop) struct LastCheckTests {
  let log = Log()

  /// A run nested in another mode consumes the wake-up of the message, and the next event is an hour away.
  @Test func theLoopReleasesACancelledClosureBeforeItSleepsUntilADelayEnds() {
    let task = {
      let token = Token { log.andStop("released") }
      return RunLoop.current.perform { token.use() }.after(.seconds(3_600))
    }()
    RunLoop.current.perform {}.after(.seconds(3_600))
    observeOnce(.beforeWaiting, order: Order.frame) {
      elsewhere { task.cancel() }
      RunLoop.current.runPass(mode: .other)
    }
    run()
    #expect(log.events == ["released"])
  }

  /// In each pass a task keeps an idle task from running. The loop makes a turn every tenth of a second then.
  @Test func theLoopDoesNotSpinWhereOthersKeepAnIdleTaskFromRunning() {
    var turns = 0
    RunLoop.current.perform {}.when(.idle)
    observe(.beforeWaiting) { _ in
      turns += 1
      RunLoop.current.perform {}.when(.currentLoopEnded)
    }
    addTimer(after: 0.5) { stopRun() }
    run()
    #expect(turns < 30)
  }

  /// Until the nested run has returned, the outer one ignores wake-ups, and then it sleeps without another check.
  @Test func aRunReturnsIfAnotherThreadCancelsItsTaskWhenANestedRunHasEnded() {
    keepAlive(.custom)
    RunLoop.current.perform {}.forModes(.custom)
    RunLoop.current.runPass(mode: .custom)
    let task = RunLoop.current.perform {}.after(.seconds(3_600))
    observe(.exit, in: .custom, order: Order.last) { _ in elsewhere { task.cancel() } }
    observeOnce(.beforeWaiting, order: Order.last) { poll(.custom) }
    run()
    log("returned")
    #expect(log.events == ["returned"])
  }
}
