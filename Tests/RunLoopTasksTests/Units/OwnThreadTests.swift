import Foundation
import Testing

@testable import RunLoopTasks

/// The variables of a scheduler belong to one thread. A release build doesn't check that.
@Suite(.onOwnLoop) struct OwnThreadTests {
  #if os(macOS) || os(Linux)  // Other platforms have no exit tests.
    @Test(.enabled(if: isDebugBuild)) func aVariableThatIsUsedOnAnotherThreadStopsADebugBuild() async {
      await #expect(processExitsWith: .failure) {
        endInTime()
        let scheduler = Scheduler.current
        JoinableThread { _ = scheduler.store.nextChange }.join()
      }
    }
  #endif

  @Test func theThreadThatMakesASchedulerMayUseItsVariablesUntilTheLoopsOwnThreadHasIt() {
    let scheduler = Scheduler(CountingLoop(), of: nil)
    #expect(scheduler.store.nextChange == .max && scheduler.runs.depth == 0)
    scheduler.end()
    #expect(scheduler.store.nextChange == .max)
  }
}

private var isDebugBuild: Bool {
  var isDebug = false
  assert(
    {
      isDebug = true
      return true
    }())
  return isDebug
}
