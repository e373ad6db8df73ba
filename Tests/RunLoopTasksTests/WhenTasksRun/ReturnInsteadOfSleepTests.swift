import Foundation
import RunLoopTasks
import Testing

/// A run returns instead of sleeping once its mode has neither tasks nor anything else.
///
/// CoreFoundation finds out that a mode is empty only after a sleep, so the package wakes the loop. The runs have no
/// limit, so a run that does not return hits the watchdog.
@Suite(.onOwnLoop) struct ReturnInsteadOfSleepTests {
  let log = Log()

  /// Runs a pass with a task, so that the package knows the mode.
  private func runFirstPass() {
    RunLoop.current.perform {}.when(.currentLoopEnded)
    RunLoop.current.runPass()
  }

  /// After some passes with nothing to do but look again, the loop sleeps for a short time before each pass.
  @Test(arguments: 1...6)
  func aRunReturnsIfItsLastSourceGoesAfterManyPassesWithTasks(passes: Int) {
    let source = Source {}
    runFirstPass()
    var pass = 0
    observeNumbered(.beforeWaiting, order: Order.app) { number in
      pass = number
      if pass <= passes { RunLoop.current.perform {}.when(.currentLoopEnded) }
      if pass == passes { source.remove() }
    }
    run()
    #expect((passes...passes + passesOfACancelledTimer).contains(pass))
  }

  /// The source alone keeps the run alive until it invalidates itself. Each pass has a task.
  @Test(arguments: 3...9)
  func aRunReturnsAfterManyCommandsOfASourceThatInvalidatesItself(commands: Int) {
    addSource { source, received in
      guard received[0] < commands else { return source.invalidate() }
      RunLoop.current.perform { source.send(received[0] + 1) }.when(.currentLoopEnded)
    }.send(1)
    run()
  }

  /// The package has woken the loop for the pass in which the last task is scheduled.
  @Test(arguments: [RunLoop.Activity.beforeTimers, .beforeSources, .beforeWaiting])
  func aRunReturnsIfItsLastTaskInvalidatesItsLastTimer(activity: RunLoop.Activity) {
    let timer = addTimer(after: 3_600)
    observe(activity, order: Order.app) { _ in
      guard log.events == ["first"] else { return }
      RunLoop.current.perform {
        log("last")
        timer.invalidate()
      }.when(.currentLoopEnded)
    }
    RunLoop.current.perform { log("first") }.when(.currentLoopEnded)
    run()
    #expect(log.events == ["first", "last"])
  }

  @Test func aRunReturnsIfItsLastBlockSchedulesItsLastTask() {
    RunLoop.current.perform {
      performBlock { performBlock { RunLoop.current.perform { log("last") }.when(.currentLoopEnded) } }
    }.when(.currentLoopEnded)
    run()
    #expect(log.events == ["last"])
  }

  /// The timer for the backlog keeps its mode alive after the last task.
  @Test func aRunWokenBeforeTheTimerForItsBacklogReturns() {
    let queue = RunLoop.current.taskQueue
    queue.budget = .nanoseconds(1)
    RunLoop.current.perform { log("common") }.when(.nextLoopBegan).forModes(.common)
    RunLoop.current.perform {
      log("ended")
      elsewhere { queue.perform {}.cancel() }  // wakes the loop
    }.when(.currentLoopEnded)
    observeNumbered(.beforeWaiting, order: Order.app) { pass in
      if pass == 2 { poll() }  // consumes all other wake-ups
    }
    run()
    #expect(log.events == ["ended", "common"])
  }
}
