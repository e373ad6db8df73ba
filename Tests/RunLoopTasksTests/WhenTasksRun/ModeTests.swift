import Foundation
import Testing

@testable import RunLoopTasks

/// A task may name any mode. An empty mode leaves the tasks of other modes pending.
@Suite struct ModeTests {
  @Test(arguments: RunLoopTask.Timing.allCases)
  func tasksOfAModeThatIsNotCommonRunOnlyThere(timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("custom") }.when(timing).forModes(.custom)
      RunLoop.current.perform { log("common") }.when(timing).forModes(.common)
      #expect(RunLoop.current.run(mode: .custom, before: .distantFuture))
      log("returned")
      #expect(RunLoop.current.run(mode: .default, before: .distantFuture))
    }
    #expect(events == ["custom", "returned", "common"])
  }

  @Test func tasksOfACommonModeStayPendingOnceTheCommonModesAreEmpty() {
    let events = eventsOnLoopThread(keepingAlive: [.default]) { log in
      makeCommon(.custom)
      RunLoop.current.perform { log("custom") }.when(.nextLoopBegan).forModes(.custom)
      RunLoop.current.perform { log("common") }.when(.nextLoopBegan).forModes(.common)
      runEmptyPasses()  // the first of them runs the task of the common modes
      log("custom:")
      logActivities(log, in: .custom)
      run(.custom)
    }
    #expect(events == ["common", "custom:", "entry", "beforeWaiting", "afterWaiting", "custom", "exit"])
  }

  @Test func tasksOfTheCommonModesStayPendingOnceAnotherModeIsEmpty() {
    let events = eventsOnLoopThread(keepingAlive: [.custom]) { log in
      RunLoop.current.taskQueue.perform(forModes: [.common]) { log("task") }
      RunLoop.current.taskQueue.perform(forModes: [.custom]) { log("custom") }
      runEmptyPasses(.custom)
      logActivities(log)
      run()
    }
    #expect(events == ["custom", "entry", "beforeWaiting", "afterWaiting", "task", "exit"])
  }
}
