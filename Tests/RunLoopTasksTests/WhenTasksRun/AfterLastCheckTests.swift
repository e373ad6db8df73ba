import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// Changes that an observer makes after the package's last check before a sleep.
///
/// Another task is delayed for an hour, so a run that sleeps on its work hits the watchdog.
@Suite(.onOwnLoop) struct AfterLastCheckTests {
  let log = Log()

  enum Change: CaseIterable { case cancel, cancelAll, cancelTask, forModes }

  @Test(arguments: Change.allCases) func aRunReturnsIfItsOnlyTaskLeavesItsMode(_ change: Change) {
    let task = RunLoop.current.perform {}.after(.seconds(3_600)).coalesced(by: 1)
    let queue = RunLoop.current.taskQueue
    observeOnce(.beforeWaiting, order: Order.last) {
      switch change {
      case .cancel: task.cancel()
      case .cancelAll: queue.cancelAll()
      case .cancelTask: queue.cancelTask(coalescedBy: 1)
      case .forModes: task.forModes(.custom)
      }
    }
    run()
  }

  /// A task of another mode comes in first. A run nested in a mode that the package does not know consumes its wake-up.
  @Test func aTaskRunsAlthoughATaskOfAnotherModeHasWokenTheLoop() {
    let source = Source(in: .other) {}
    keepAlive(.other)
    RunLoop.current.perform {}.forModes(.custom).cancel()
    runEmptyPasses(.custom)
    let delayed = RunLoop.current.perform {}.after(.seconds(3_600))
    observeOnce(.beforeWaiting, order: Order.last) {
      RunLoop.current.perform(when: .idle, forModes: [.custom]) {}
      for _ in 0..<3 {
        source.signal()
        CFRunLoopRunInMode(RunLoop.Mode.other.cf, 1e10, true)
      }
      RunLoop.current.perform {
        log("task")
        delayed.cancel()
      }.when(.currentLoopEnded)
    }
    run()
    #expect(log.events == ["task"])
  }
}
