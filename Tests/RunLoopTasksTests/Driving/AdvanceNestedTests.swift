import CoreFoundation
import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Testing

/// `RunLoop.advance` in tasks, and runs nested in the passes that it makes.
@Suite(.onOwnLoop) struct AdvanceNestedTests {
  let log = Log()

  @Test func aTaskMayAdvanceTime() {
    RunLoop.current.perform {
      log("{")
      RunLoop.current.advance(by: .seconds(5_000))
      #expect(standsStill(clockToRead()))
      log("}")
    }.after(.seconds(1_000))
    RunLoop.current.perform { log("inner") }.after(.seconds(4_000))
    RunLoop.current.perform { log("outer") }.after(.seconds(8_000))
    RunLoop.current.advance(by: .seconds(9_000))
    #expect(log.events == ["{", "inner", "}", "outer"])
  }

  private func standsStill(_ clock: RunLoopClock) -> Bool {
    let (date, now) = (clock.now, ContinuousClock.now)
    while ContinuousClock.now == now {}
    return clock.now == date
  }

  @Test func aTaskOfTheLastPassMayAdvanceTime() {
    RunLoop.current.perform { RunLoop.current.advance(by: .seconds(5_000)) }.when(.nextLoopBegan)
    RunLoop.current.perform { log("task") }.after(.seconds(10_000))
    RunLoop.current.advance(by: .seconds(1_000))
    log("6000")
    RunLoop.current.advance(by: .seconds(5_000))
    #expect(log.events == ["6000", "task"])
  }

  /// In the pass of the outer call the clock stands still, so the end of the inner call is exactly the date.
  @Test func onePassMoreFollowsADateThatIsTheEnd() {
    RunLoop.current.perform {
      RunLoop.current.perform { log("task") }.after(.seconds(1_000))
      log("\(countRuns { RunLoop.current.advance(by: .seconds(1_000)) }) passes")
    }.after(.seconds(1_000))
    RunLoop.current.advance(by: .seconds(2_000))
    #expect(log.events == ["task", "3 passes"])
  }

  enum Way: CaseIterable { case run, runUntilTasksFinish, runUntil }

  /// In a nested run, delays wait for real time. A run reaches its limit only if the test fails.
  @Test(arguments: Way.allCases) func aDelayEndsInARunNestedInAnAdvance(_ way: Way) {
    RunLoop.current.perform {
      let task = RunLoop.current.perform { log("nested") }.after(.milliseconds(5))
      switch way {
      case .run: CFRunLoopRunInMode(RunLoop.Mode.default.cf, 60, false)
      case .runUntilTasksFinish: RunLoop.current.runUntilTasksFinish()
      case .runUntil: RunLoop.current.runUntil { task.state == .finished }
      }
      log("left")
    }.after(.seconds(1_000))
    RunLoop.current.advance(by: .seconds(2_000))
    #expect(log.events == ["nested", "left"])
  }

  /// The loop sleeps until the delay ends, so it makes few passes. A run reaches its limit only if the test fails.
  @Test(arguments: [0, 1, 2], [true, false])
  func aRunAfterNestedAdvancesSleepsUntilADelayEnds(depth: Int, isPassBetween: Bool) {
    let passes = Counter()
    func advanceNested(_ depth: Int) {
      guard depth > 0 else { return }
      RunLoop.current.perform { advanceNested(depth - 1) }.when(.currentLoopEnded)
      RunLoop.current.advance(by: .seconds(1_000))
    }
    RunLoop.current.perform {
      advanceNested(depth)
      if isPassBetween { RunLoop.current.runPass() }
      RunLoop.current.perform { stopRun() }.after(.milliseconds(20))
      let counting = RunLoop.current.observe(.beforeWaiting, order: Order.first) { _ in passes.count() }
      CFRunLoopRunInMode(RunLoop.Mode.default.cf, 60, false)
      counting.invalidate()
    }.after(.seconds(1_000))
    RunLoop.current.advance(by: .seconds(2_000))
    #expect((1...4).contains(passes.value))
    #expect(RunLoop.current.taskQueue.count == 0)
  }
}
