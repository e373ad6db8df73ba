import Foundation
import RunLoopTasks
import Testing

/// What changes in the last observer of a nested run's `exit`, where the loop ignores wake-ups, still ends the sleep of
/// the outer run, which is past its last check.
///
/// A loop that sleeps on sleeps for an hour and hits the watchdog.
@Suite(.onOwnLoop) struct NestedExitTests {
  let log = Log()

  /// Calls `body` there, once. The outer run is in the default mode.
  private func atExitOfRunNested(in mode: RunLoop.Mode, _ body: @escaping () -> Void) {
    // The package's observers come first, because they are there first.
    RunLoop.current.perform {}.forModes(mode, .default)
    RunLoop.current.runPass(mode: mode)
    keepAlive(mode)
    var isDone = false
    observe(.exit, in: mode, order: Order.last) { _ in
      if isDone { return }
      isDone = true
      body()
    }
    observe(.beforeWaiting, order: Order.last) { _ in if !isDone { poll(mode) } }
  }

  @Test func aTaskOfBothModesWakesTheOuterRun() {
    let queue = RunLoop.current.taskQueue
    atExitOfRunNested(in: .custom) {
      queue.perform(forModes: [.custom, .default]) {
        log("task")
        queue.cancelAll()
      }
    }
    RunLoop.current.perform {}.after(.seconds(3_600))
    run()
    #expect(log.events == ["task"])
  }

  @Test func aTaskThatLeavesTheModeLetsTheOuterRunEnd() {
    var later: RunLoopTask?
    atExitOfRunNested(in: .custom) {
      later?.forModes(.other)
      log("moved")
    }
    later = RunLoop.current.perform { log("task") }.after(.seconds(3_600))
    run()
    #expect(log.events == ["moved"])
  }
}
