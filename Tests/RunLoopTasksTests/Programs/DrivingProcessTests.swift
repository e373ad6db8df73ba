#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import Testing

  @testable import RunLoopTasks

  /// Calls that drive a loop and could hang. Each runs in a process of its own.
  @Suite struct DrivingProcessTests {
    @Test func advanceWorksInAModeThatWasNeverUsed() async {
      await #expect(processExitsWith: .success) {
        endInTime()
        let events = eventsOnLoopThread { log in
          RunLoop.current.perform { log("task") }.after(.seconds(1_000))
          log("\(RunLoop.current.advance(by: .seconds(2_000), mode: .other))")
          log("\(RunLoop.current.runPass())")
        }
        try #require(events == ["false", "task", "true"])
      }
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(1e18)])
    func aHugeTimeoutCountsAsNone(timeout: Duration) async {
      await #expect(processExitsWith: .success) { [timeout] in
        endInTime()
        let results = onLoopThread {
          let holds = Box(false)
          RunLoop.current.perform { holds.value = true }.when(.nextLoopBegan)
          let first = RunLoop.current.runUntil(timeout: timeout) { holds.value }
          RunLoop.current.perform {}.when(.nextLoopBegan)
          return [first, RunLoop.current.runUntilTasksFinish(timeout: timeout)]
        }
        try #require(results == [true, true])
      }
    }
  }
#endif
