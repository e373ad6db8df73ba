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
}
