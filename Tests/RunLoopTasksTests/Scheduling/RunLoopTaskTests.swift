import Foundation
import Testing

@testable import RunLoopTasks

/// Scheduling with `perform` on the loop's own thread, and the states of a task.
@Suite struct RunLoopTaskTests {
  @Test func anUnchainedPerformIsTheMethodOfFoundation() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("block") }
      #expect(RunLoop.current.taskQueue.count == 0)
      poll()
    }
    #expect(events == ["block"])
  }

  @Test func aClosureMayUseValuesThatAreNotSendable() {
    final class View { var reloads = 0 }
    let reloads = onLoopThread {
      let view = View()
      RunLoop.current.perform { view.reloads += 1 }.when(.currentLoopEnded)
      run()
      return view.reloads
    }
    #expect(reloads == 1)
  }

  @Test func aTaskRunsOnce() {
    let events = eventsOnLoopThread { log in
      for timing in RunLoopTask.Timing.allCases { RunLoop.current.perform { log("\(timing)") }.when(timing) }
      for _ in 1...5 { RunLoop.current.runPass() }
    }
    #expect(events == ["currentLoopEnded", "nextLoopBegan", "idle"])
  }

  @Test func theDefaultModeIsTheDefault() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
      RunLoop.current.runPass(mode: .custom)
      log("default")
      RunLoop.current.runPass()
    }
    #expect(events == ["default", "task"])
  }

  @Test func aTaskIsPendingThenRunningThenFinishedOrCancelled() {
    let events = eventsOnLoopThread { log in
      let task = Box<RunLoopTask?>(nil)
      task.value = RunLoop.current.perform { log("\(task.value!.state)") }.when(.currentLoopEnded)
      log("\(task.value!.state)")
      run()
      log("\(task.value!.state)")
      let cancelled = RunLoop.current.perform {}.when(.idle)
      cancelled.cancel()
      log("\(cancelled.state)")
    }
    #expect(events == ["pending", "running", "finished", "cancelled"])
  }
}
