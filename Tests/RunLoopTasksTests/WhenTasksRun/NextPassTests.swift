import Foundation
import RunLoopTasks
import Testing

/// If tasks run before the loop's sleep, another pass follows at once.
///
/// SwiftUI needs that pass. It checks for changed state in an observer of `beforeWaiting` with order 0, before the
/// tasks of the pass, and a change does not wake the loop.
@Suite(.onOwnLoop) struct NextPassTests {
  @Test(arguments: [RunLoopTask.Timing.currentLoopEnded, .idle])
  func theNextPassSeesTheChangeOfATask(timing: RunLoopTask.Timing) {
    keepAlive(.default)
    let isChanged = Box(false)
    observe(.beforeWaiting, order: Order.app) { _ in if isChanged.value { stopRun() } }
    RunLoop.current.perform { isChanged.value = true }.when(timing)
    run()  // without a limit: the watchdog ends a loop that sleeps
    #expect(isChanged.value)
  }
}
