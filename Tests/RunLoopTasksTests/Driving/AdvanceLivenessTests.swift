import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// Calls of `RunLoop.advance` nested with other runs, and the order of time.
@Suite(.onOwnLoop) struct AdvanceLivenessTests {
  let log = Log()

  @Test func aTaskOfTheLastPassMayAdvanceTime() {
    RunLoop.current.perform { RunLoop.current.advance(by: .seconds(5_000)) }.when(.nextLoopBegan)
    RunLoop.current.perform { log("task") }.after(.seconds(10_000))
    RunLoop.current.advance(by: .seconds(1_000))
    log("6000")
    RunLoop.current.advance(by: .seconds(5_000))
    #expect(log.events == ["6000", "task"])
  }

  /// In a nested run, delays wait for real time.
  @Test(arguments: ["run", "untilTasksFinish", "until"]) func aDelayEndsInARunNestedInAnAdvance(_ way: String) {
    RunLoop.current.perform {
      let task = RunLoop.current.perform { log("nested") }.after(.milliseconds(5))
      // A run reaches its limit only if the test fails.
      switch way {
      case "run": CFRunLoopRunInMode(RunLoop.Mode.default.cf, 60, false)
      case "untilTasksFinish": RunLoop.current.runUntilTasksFinish(timeout: .seconds(60))
      default: RunLoop.current.runUntil(timeout: .seconds(60)) { task.state == .finished }
      }
      log("left")
    }.after(.seconds(1_000))
    RunLoop.current.advance(by: .seconds(2_000))
    #expect(log.events == ["nested", "left"])
  }

  /// The loop sleeps until the delay ends, so it makes few turns. A run reaches its limit only if the test fails.
  @Test(arguments: [0, 1, 2], [true, false])
  func aRunAfterNestedAdvancesSleepsUntilADelayEnds(depth: Int, isPassBetween: Bool) {
    let turns = Counter()
    func advanceNested(_ depth: Int) {
      guard depth > 0 else { return }
      RunLoop.current.perform { advanceNested(depth - 1) }.when(.currentLoopEnded)
      RunLoop.current.advance(by: .seconds(1_000))
    }
    RunLoop.current.perform {
      advanceNested(depth)
      if isPassBetween { RunLoop.current.runPass() }
      RunLoop.current.perform { stopRun() }.after(.milliseconds(20))
      let counting = RunLoop.current.observe(.beforeWaiting, order: Order.first) { _ in turns.count() }
      CFRunLoopRunInMode(RunLoop.Mode.default.cf, 60, false)
      counting.invalidate()
    }.after(.seconds(1_000))
    RunLoop.current.advance(by: .seconds(2_000))
    #expect((1...4).contains(turns.value))
    #expect(RunLoop.current.taskQueue.count == 0)
  }

  @Test func theClockRunsOnOnceANestedRunSleeps() {
    let times = Box<[Duration]>([])
    RunLoop.current.perform {
      times.add([taskTime()])
      RunLoop.current.runPass()
      times.add([taskTime()])
      addTimer(after: 0.005) { stopRun() }
      run()
      times.add([taskTime()])
    }.after(.seconds(1_000))
    RunLoop.current.advance(by: .seconds(2_000))
    #expect(times.value[0] == times.value[1] && times.value[1] < times.value[2])
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(1e10), .nanoseconds(Int64.max)])
  func timeMayAdvanceToTheLastDate(duration: Duration) {
    RunLoop.current.perform { log("task") }.after(.seconds(1e9))
    RunLoop.current.perform { log("last") }.after(duration)
    for _ in 1...3 { log("\(RunLoop.current.advance(by: duration))") }
    RunLoop.current.perform { log("no delay") }.when(.nextLoopBegan)
    log("\(RunLoop.current.runPass())")
    RunLoop.current.perform { log("delay") }.after(.seconds(1))
    log("\(RunLoop.current.advance(by: .seconds(1)))")
    #expect(log.events == ["task", "last", "true", "false", "false", "no delay", "true", "delay", "true"])
  }

  /// The package was not used before the run began, so it does not know of it until an activity comes.
  @Test(arguments: [1, 2, 3, 10]) func aRunThatBeganUnobservedReturnsAfterNestedPasses(passes: Int) {
    var source: Source?
    source = Source {
      source = nil
      RunLoop.current.perform {}.after(.seconds(1_000))
      RunLoop.current.runPass()
      var isFirst = true
      observe(.beforeSources) { _ in
        guard isFirst else { return }
        isFirst = false
        RunLoop.current.advance(by: .seconds(2_000))
        for _ in 1...passes { RunLoop.current.runPass() }
      }
    }
    source?.signal()
    run()
    #expect(RunLoop.current.taskQueue.count == 0)
  }

  @Test func timeNeverGoesBack() {
    var latest = taskTime()
    func check() {
      let now = taskTime()
      #expect(now >= latest)
      latest = now
    }
    for seconds in [1, 0, 1_000, 3] {
      RunLoop.current.perform(check).after(.seconds(seconds))
      check()
      RunLoop.current.advance(by: .seconds(seconds))
      check()
      RunLoop.current.runPass()
      check()
    }
  }
}
