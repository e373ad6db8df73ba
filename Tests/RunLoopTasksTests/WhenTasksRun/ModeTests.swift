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

  @Test func tasksOfACommonModeStayPendingOnceTheCommonModesAreEmpty() {
    keepAlive(.default)
    makeCommon(.custom)
    RunLoop.current.perform { log("custom") }.when(.nextLoopBegan).forModes(.custom)
    RunLoop.current.perform { log("common") }.when(.nextLoopBegan).forModes(.common)
    runEmptyPasses()  // the first of them runs the task of the common modes
    log("custom:")
    logActivities(log, in: .custom)
    run(.custom)
    #expect(log.events == ["common", "custom:", "entry", "beforeWaiting", "afterWaiting", "custom", "exit"])
  }

  @Test func tasksOfTheCommonModesStayPendingOnceAnotherModeIsEmpty() {
    keepAlive(.custom)
    RunLoop.current.taskQueue.perform(forModes: [.common]) { log("task") }
    RunLoop.current.taskQueue.perform(forModes: [.custom]) { log("custom") }
    runEmptyPasses(.custom)
    logActivities(log)
    run()
    #expect(log.events == ["custom", "entry", "beforeWaiting", "afterWaiting", "task", "exit"])
  }
}
