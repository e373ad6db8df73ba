import Foundation
import Testing

@testable import RunLoopTasks

/// The limit of `within(_:)`.
///
/// The limits of tests that advance the time are so long that the real time makes no difference.
@Suite struct WithinTests {
  /// No timing makes a new task due at `entry`, with which the pass begins.
  @Test(arguments: Form.allCases, RunLoopTask.Timing.allCases)
  func aTaskWhoseLimitHasPassedIsDueAtEntry(_ form: Form, timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      form.perform(when: timing, within: .seconds(3_000), forModes: [.custom]) { log("task") }
      RunLoop.current.advance(by: .seconds(4_000))  // in another mode
      logActivities(log, in: .custom)
      RunLoop.current.runPass(mode: .custom)
    }
    #expect(events == ["entry", "task", "beforeWaiting", "afterWaiting", "exit"])
  }

  @Test(arguments: [RunLoop.Activity.entry, .beforeWaiting, .afterWaiting, .exit])
  func aTaskIsDueAtTheActivityBeforeWhichItsLimitPasses(activity: RunLoop.Activity) {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform {}.when(.currentLoopEnded)
      RunLoop.current.runPass()  // the package does not observe an unused mode
      logActivities(log)
      observeOnce(activity) {
        let scheduler = Scheduler.current
        // No activity makes the tasks of all timings due by itself.
        for timing in RunLoopTask.Timing.allCases {
          RunLoop.current.perform { log("task") }.when(timing).within(.seconds(3_000))
        }
        scheduler.clock.freeze(at: scheduler.clock.date(after: .seconds(4_000)))
      }
      RunLoop.current.runPass()
      Scheduler.current.clock.resume()
    }
    let activities = ["entry", "beforeWaiting", "afterWaiting", "exit"]
    let expected = activities.flatMap { $0 == activity.name ? [$0, "task", "task", "task"] : [$0] }
    #expect(events == expected)
  }

  @Test(arguments: Form.allCases) func theTimingCountsBeforeTheLimitHasPassed(_ form: Form) {
    let events = eventsOnLoopThread { log in
      logActivities(log)
      form.perform(when: .idle, within: .seconds(3_000)) { log("idle") }
      form.perform(when: .nextLoopBegan, within: .seconds(3_000)) { log("began") }
      form.perform(when: .currentLoopEnded, within: .seconds(3_000)) { log("ended") }
      RunLoop.current.runPass()
      RunLoop.current.advance(by: .seconds(4_000))  // no task runs again
    }
    let pass = ["entry", "beforeWaiting", "afterWaiting", "exit"]
    #expect(events.prefix(7) == ["entry", "beforeWaiting", "ended", "afterWaiting", "began", "exit", "idle"])
    #expect(Array(events.dropFirst(7)) == pass)
  }

  @Test(arguments: Form.allCases) func aTaskWhoseLimitHasPassedKeepsItsPlaceInLine(_ form: Form) {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("1") }.when(.currentLoopEnded).forModes(.custom)
      form.perform(when: .idle, within: .seconds(3_000), forModes: [.custom]) { log("2") }
      RunLoop.current.perform { log("3") }.when(.currentLoopEnded).forModes(.custom)
      RunLoop.current.advance(by: .seconds(4_000))
      observe(.entry, in: .custom) { _ in
        RunLoop.current.perform { log("entry") }.when(.currentLoopEnded).forModes(.custom).order(-1)
      }
      RunLoop.current.runPass(mode: .custom)
    }
    #expect(events == ["2", "entry", "1", "3"])
  }

  @Test func aTaskWhoseLimitHasPassedDoesNotRunBeforeOlderTasks() {
    let events = eventsOnLoopThread { log in
      let scheduler = Scheduler.current
      RunLoop.current.perform { log("1") }.when(.currentLoopEnded)
      RunLoop.current.perform { log("2") }.when(.idle).within(.seconds(3_000))
      RunLoop.current.perform { log("3") }.when(.currentLoopEnded)
      observe(.beforeWaiting) { _ in scheduler.clock.freeze(at: scheduler.clock.date(after: .seconds(4_000))) }
      RunLoop.current.runPass()
      scheduler.clock.resume()
    }
    #expect(events == ["1", "2", "3"])
  }

  @Test func anIdleTaskWithALimitRunsOnABusyLoop() {
    let waited = onLoopThread {
      let (start, waited, isDone) = (taskTime(), Box(Duration.zero), Box(false))
      func keepBusy() {
        guard !isDone.value else { return }
        RunLoop.current.perform(keepBusy).when(.currentLoopEnded)
      }
      let keepAlive = ModeHolder()
      RunLoop.current.perform(keepBusy).when(.currentLoopEnded)
      RunLoop.current.perform {
        waited.value = taskTime() - start
        isDone.value = true
        stopRun()
      }.when(.idle).within(.milliseconds(5))
      run()
      withExtendedLifetime(keepAlive) {}
      return waited.value
    }
    #expect(waited >= .milliseconds(5))
  }

  @Test(arguments: Form.allCases, RunLoopTask.Timing.allCases)
  func aLimitWinsOverADelay(_ form: Form, timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      form.perform(when: timing, after: .seconds(3_000), within: .seconds(1_000)) { log("task") }
      RunLoop.current.advance(by: .seconds(900))
      log("limit")
      logActivities(log)
      RunLoop.current.advance(by: .seconds(200))
    }
    let pass = ["entry", "beforeWaiting", "afterWaiting", "exit"]
    #expect(events == ["limit", "entry", "task"] + pass.dropFirst() + pass)
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func theLoopWakesForATaskWhoseLimitHasPassed(timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread(keepingAlive: [.default]) { log in
      logActivities(log)
      RunLoop.current.perform { log.andStop("task") }.when(timing).after(.seconds(3_000)).within(.milliseconds(1))
      run()
    }
    #expect(events.firstIndex(of: "task").map { events[$0 - 1] } == "afterWaiting")
  }

  /// In the second case the limit has passed at the second call.
  @Test(arguments: [2_000, 4_000]) func aSecondCallCountsAnew(secondsBetween: Int) {
    let events = eventsOnLoopThread { log in
      let task = RunLoop.current.perform { log("task") }.when(.idle).forModes(.custom).within(.seconds(3_000))
      RunLoop.current.advance(by: .seconds(secondsBetween))
      task.within(.seconds(3_000))
      RunLoop.current.advance(by: .seconds(4_000 - secondsBetween))
      logActivities(log, in: .custom)
      RunLoop.current.runPass(mode: .custom)
    }
    #expect(events == ["entry", "beforeWaiting", "task", "afterWaiting", "exit"])
  }

  @Test func aTaskWhoseLimitHasPassedCanBeCancelledAndReplaced() {
    let events = eventsOnLoopThread { log in
      let tasks = (1...2).map { key in
        RunLoop.current.perform { log("\(key)") }.when(.idle).forModes(.custom).within(.seconds(1)).coalesced(by: key)
      }
      RunLoop.current.advance(by: .seconds(1_000))
      tasks[0].cancel()
      RunLoop.current.perform { log("replacement") }.when(.idle).forModes(.custom).coalesced(by: 2)
      logActivities(log, in: .custom)
      RunLoop.current.runPass(mode: .custom)
    }
    #expect(events == ["entry", "replacement", "beforeWaiting", "afterWaiting", "exit"])
  }
}
