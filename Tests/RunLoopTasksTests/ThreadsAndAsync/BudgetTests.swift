import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 4: `budget`.
@Suite struct BudgetTests {
  /// A budget that any task uses up.
  private static let tiny = Duration.nanoseconds(1)

  @Test func thereIsNoneAtFirst() {
    onLoopThread {
      let queue = RunLoop.current.taskQueue
      #expect(queue.budget == nil)
      for budget in [Duration.milliseconds(4), .seconds(3)] {
        queue.budget = budget
        #expect(RunLoop.current.taskQueue.budget == budget)
      }
      queue.budget = nil
      #expect(queue.budget == nil)
    }
  }

  @Test func anyDurationAboveZeroWillDo() {
    onLoopThread {
      let queue = RunLoop.current.taskQueue
      for seconds in [Int64.max, Int64.max / 1_000_000_000] {
        queue.budget = Duration(secondsComponent: seconds, attosecondsComponent: 999_999_999_999_999_999)
        #expect(queue.budget! > .seconds(1_000_000_000))
      }
      queue.budget = Duration(secondsComponent: 0, attosecondsComponent: 1)
      #expect(queue.budget == .nanoseconds(1))
    }
  }

  /// One task a pass, and what is scheduled meanwhile comes after.
  @Test(arguments: RunLoopTask.Timing.allCases)
  func theRestStaysFirstInLineForTheNextPass(timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      RunLoop.current.taskQueue.budget = Self.tiny
      observe(.afterWaiting) { _ in log("pass") }
      RunLoop.current.perform {
        log("1")
        RunLoop.current.perform {
          log("4")
          stopRun()
        }.when(timing)
      }.when(timing)
      RunLoop.current.perform { log("2") }.when(timing)
      RunLoop.current.perform { log("3") }.when(timing)
      run()
      withExtendedLifetime(keepAlive) {}
    }
    let atWaking = ["pass", "1", "pass", "2", "pass", "3", "pass", "4"]
    #expect(events == (timing == .nextLoopBegan ? atWaking : Array(atWaking.dropFirst()) + ["pass"]))
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func theRestWaitsForTheNextRunIfThisOneIsLeft(timing: RunLoopTask.Timing) {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      RunLoop.current.taskQueue.budget = Self.tiny
      for number in 1...3 { RunLoop.current.perform { log("\(number)") }.when(timing) }
      poll()  // leaves what is to begin a pass behind
      for _ in 1...3 {
        log("poll")
        poll()
      }
      withExtendedLifetime(keepAlive) {}
    }
    let began = ["poll", "1", "poll", "2", "poll", "3"]
    #expect(events == (timing == .nextLoopBegan ? began : ["1", "poll", "2", "poll", "3", "poll"]))
  }

  @Test func aTaskThatWasCancelledMeanwhileDoesNotCount() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      let cancelled = Box<RunLoopTask?>(nil)
      logActivities(log)
      RunLoop.current.perform {
        log("first")
        elsewhere { cancelled.value!.cancel() }
        queue.budget = Self.tiny  // counts from now on
      }.when(.currentLoopEnded)
      cancelled.value = RunLoop.current.perform { log("cancelled") }.when(.currentLoopEnded)
      RunLoop.current.perform { log("second") }.when(.currentLoopEnded)
      run()
    }
    #expect(events == ["entry", "beforeWaiting", "first", "second", "afterWaiting", "exit"])
  }

  /// The backlog's tasks take longer than the timer's interval, so it is due in every pass.
  @Test(arguments: RunLoopTask.Timing.allCases)
  func aTimerAndASourceKeepTheirTurnsEveryPass(timing: RunLoopTask.Timing) {
    let tasks = 200
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      queue.budget = Self.tiny
      let timer = Timer(fire: Date(), interval: 0.0001, repeats: true) { _ in log("timer") }
      RunLoop.current.add(timer, forMode: .default)
      let source = Source { log("source") }
      for number in 1...tasks {
        RunLoop.current.perform {
          log("task")
          source.signal()
          Thread.sleep(forTimeInterval: 0.0002)
          if number == tasks { stopRun() }
        }.when(timing)
      }
      run()
      timer.invalidate()
    }
    let between = events.split(separator: "task", omittingEmptySubsequences: false).dropFirst().dropLast()
    #expect(between.count == tasks - 1)
    #expect(between.allSatisfy { $0.contains("source") })
    #expect(between.filter { !$0.contains("timer") }.count <= Self.mostGapsWithoutATimer(of: between.count))
  }

  @Test func aTimerKeepsItsTurnEveryPassWithoutASource() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.taskQueue.budget = Self.tiny
      let timer = Timer(fire: Date(), interval: 0.0001, repeats: true) { _ in log("timer") }
      RunLoop.current.add(timer, forMode: .default)
      for number in 1...200 {
        RunLoop.current.perform {
          log("task")
          Thread.sleep(forTimeInterval: 0.0002)
          if number == 200 { stopRun() }
        }.when(.currentLoopEnded)
      }
      run()
      timer.invalidate()
    }
    let between = events.split(separator: "task", omittingEmptySubsequences: false).dropFirst().dropLast()
    #expect(between.count == 199)
    #expect(between.filter { !$0.contains("timer") }.count <= Self.mostGapsWithoutATimer(of: between.count))
  }

  /// On Apple's platforms another thread of the kernel sends the message of a timer that is due, so it may come a pass late.
  private static func mostGapsWithoutATimer(of gaps: Int) -> Int {
    #if canImport(Darwin)
      gaps / 2
    #else
      0
    #endif
  }

  @Test func aBudgetThatIsNotUsedUpChangesNothing() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.taskQueue.budget = .seconds(3600)
      observe(.afterWaiting) { _ in log("pass") }
      for number in 1...3 { RunLoop.current.perform { log("\(number)") }.when(.currentLoopEnded) }
      RunLoop.current.runPass()
    }
    #expect(events == ["1", "2", "3", "pass"])
  }

  /// What takes no time at all in sum is cut, too: each activity is measured from its first task.
  @Test func itIsMeasuredAnewForEachActivity() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.taskQueue.budget = Self.tiny
      for timing in [RunLoopTask.Timing.currentLoopEnded, .nextLoopBegan, .idle] {
        RunLoop.current.perform { log("\(timing)") }.when(timing)
      }
      RunLoop.current.runPass()
    }
    #expect(events == ["currentLoopEnded", "nextLoopBegan", "idle"])
  }

  @Test func oneThatIsSetUnderWayCountsFromTheNextActivity() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      observe(.afterWaiting) { _ in log("pass") }
      RunLoop.current.perform {
        log("sets")
        queue.budget = Self.tiny
      }.when(.currentLoopEnded)
      for number in 1...2 {
        RunLoop.current.perform {
          log("\(number)")
          RunLoop.current.perform { log("\(number + 2)") }.when(.currentLoopEnded)
        }.when(.currentLoopEnded)
      }
      run()
    }
    #expect(events.prefix(6) == ["sets", "1", "2", "pass", "3", "pass"])
    #expect(events.filter { $0 != "pass" } == ["sets", "1", "2", "3", "4"])
  }

  @Test func oneThatIsMadeSmallerCountsFromTheNextActivity() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      queue.budget = .seconds(3600)
      observe(.afterWaiting) { _ in log("pass") }
      for budget in [nil, Self.tiny] as [Duration?] {
        RunLoop.current.perform {
          log("sets")
          queue.budget = budget
        }.when(.currentLoopEnded)
      }
      for number in 1...2 { RunLoop.current.perform { log("\(number)") }.when(.currentLoopEnded) }
      run()
    }
    #expect(events.prefix(5) == ["sets", "sets", "1", "2", "pass"])
  }

  @Test func oneThatIsTakenBackUnderWayCountsUntilTheNextActivity() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      queue.budget = Self.tiny
      observe(.afterWaiting) { _ in log("pass") }
      RunLoop.current.perform { log("1") }.when(.currentLoopEnded)
      RunLoop.current.perform {
        log("takes back")
        elsewhere { queue.budget = nil }
      }.when(.currentLoopEnded)
      for number in 2...3 { RunLoop.current.perform { log("\(number)") }.when(.currentLoopEnded) }
      run()
    }
    #expect(events == ["1", "pass", "takes back", "pass", "2", "3", "pass"])
  }

  /// One that was cancelled by another thread does not count as the task that runs each time.
  @Test func atLeastOneTaskRunsEachTime() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.taskQueue.budget = Self.tiny
      let cancelled = RunLoop.current.perform { log("cancelled") }.when(.currentLoopEnded)
      RunLoop.current.perform { log("1") }.when(.currentLoopEnded)
      observe(.beforeWaiting, order: Order.app) { _ in
        #expect(cancelled.leavePending(for: .cancelled, onLoopThread: true))
      }
      RunLoop.current.runPass()
    }
    #expect(events == ["1"])
  }

  @Test func aBacklogThatIsCancelledLetsTheLoopGo() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      queue.budget = Self.tiny
      for number in 1...3 { RunLoop.current.perform { log("\(number)") }.when(.currentLoopEnded) }
      // After the last look before the loop sleeps.
      observe(.beforeWaiting, order: Order.last) { _ in queue.cancelAll() }
      run()
    }
    #expect(events == ["1"])
  }
}
