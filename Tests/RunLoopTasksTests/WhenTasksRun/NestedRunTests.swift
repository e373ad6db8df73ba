import Foundation
import RunLoopTasks
import Testing

/// A task may run its loop, and the due tasks run there.
@Suite(.onOwnLoop) struct NestedRunTests {
  let log = Log()

  @Test(arguments: RunLoopTask.Timing.allCases)
  func anInterruptedBatchContinuesInTheNestedRun(timing: RunLoopTask.Timing) {
    RunLoop.current.perform {
      log("first{")
      RunLoop.current.runPass()
      log("}")
    }.when(timing)
    RunLoop.current.perform { log("second") }.when(timing)
    RunLoop.current.perform { log("third") }.when(timing)
    run()
    #expect(log.events == ["first{", "second", "third", "}"])
  }

  @Test(arguments: RunLoopTask.Timing.allCases, RunLoopTask.Timing.allCases)
  func runsNestToAnyDepthAtEveryActivity(outer: RunLoopTask.Timing, inner: RunLoopTask.Timing) {
    func nest(_ depth: Int) {
      log("\(depth){")
      if depth < 4 {
        RunLoop.current.perform { nest(depth + 1) }.when(depth.isMultiple(of: 2) ? outer : inner)
        RunLoop.current.runPass()
      }
      log("}\(depth)")
    }
    RunLoop.current.perform { nest(0) }.when(inner)
    RunLoop.current.runPass()
    #expect(log.events == ["0{", "1{", "2{", "3{", "4{", "}4", "}3", "}2", "}1", "}0"])
  }

  @Test func aNestedRunInAnotherModeLeavesTheBatchToTheOuterRun() {
    RunLoop.current.perform {
      RunLoop.current.perform { log("custom") }.when(.currentLoopEnded).forModes(.custom)
      log("{")
      RunLoop.current.runPass(mode: .custom)
      log("}")
    }.when(.currentLoopEnded)
    RunLoop.current.perform { log("second") }.when(.currentLoopEnded)
    run()
    #expect(log.events == ["{", "custom", "}", "second"])
  }
}
