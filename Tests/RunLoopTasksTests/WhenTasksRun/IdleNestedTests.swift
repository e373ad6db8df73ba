import Foundation
import RunLoopTasks
import Testing

/// Slices of `.idle` tasks in nested runs, which give way to all else as other runs do.
@Suite(.onOwnLoop) struct IdleNestedTests {
  private let log = Log()

  @Test func aRunNestedInADrivenPassHasSlices() {
    RunLoop.current.perform {
      observe(.beforeWaiting, order: Order.frame) { _ in log("pass") }
      log.performSlices(2)
      run()
    }.when(.currentLoopEnded)
    RunLoop.current.runPass()
    #expect(log.events.starts(with: ["1", "pass", "2", "pass"]))
  }

  /// The timer that calls back after a slice has woken the outer run. In the nested one it must hold up no other timer,
  /// and not keep the run alive.
  @Test(arguments: [false, true]) func aRunNestedWhereTheCallBackWokeTheOuterOneIsAsAnyOther(hasTimer: Bool) {
    RunLoop.current.perform {}.when(.idle).forModes(.custom)  // in line to the end, so the wait goes on
    RunLoop.current.perform {
      RunLoop.current.perform {
        if hasTimer { addTimer(after: 0.01) { log("timer") } }
        run()
        log.andStop("returned")
      }.when(.nextLoopBegan)
      spin()
    }.when(.idle)
    RunLoop.current.perform {}.when(.idle)
    run()
    #expect(log.events == (hasTimer ? ["timer", "returned"] : ["returned"]))
  }

  enum Callout: CaseIterable { case task, timer, source, observer }

  /// Calls `body` in a callback of a run.
  private func callBack(from callout: Callout, _ content: @escaping @Sendable () -> Void) {
    RunLoop.current.perform {}.when(.idle).cancel()  // so that the package knows the run
    keepAlive(.default)
    let body = { @Sendable in
      content()
      stopRun()
    }
    let source = Source(body)
    switch callout {
    case .task: RunLoop.current.perform(body).when(.currentLoopEnded)
    case .timer: addTimer(handler: body)
    case .source: source.signal()
    case .observer: observeOnce(.beforeWaiting, order: Order.app, body)
    }
    run()
  }

  /// A modal loop that polls.
  @Test(arguments: Callout.allCases) func inPollsNestedInACallbackIdleTasksGiveWayToo(callout: Callout) {
    callBack(from: callout) {
      logActivities(log)
      log.performSlices(1)
      let second = RunLoop.current.perform { log("2") }.when(.idle)
      while second.state == .pending { poll() }
      log("returned")
    }
    let events = log.events.split(separator: "returned")[0]
    #expect(events.starts(with: ["entry", "exit", "1", "entry", "exit", "entry", "exit"]) && events.last == "2")
  }

  /// A modal loop that sleeps.
  @Test(arguments: Callout.allCases) func inARunNestedInACallbackIdleTasksGiveWayToo(callout: Callout) {
    callBack(from: callout) {
      logActivities(log)
      RunLoop.current.perform {
        log("1")
        spin()
        addTimer { log("timer") }
      }.when(.idle)
      log.performSlices(1)
      RunLoop.current.perform { log.andStop("2") }.when(.idle)
      run()
      log("returned")
    }
    let events = log.events.split(separator: "returned")[0]
    #expect(events.filter { ["1", "2", "timer"].contains($0) } == ["1", "timer", "1", "2"])
    let passes = events.split { ["1", "2"].contains($0) }
    #expect(passes.allSatisfy { $0.contains("beforeWaiting") || $0.contains("exit") })
  }

  /// The nested runs look at nothing of what waits in the default mode.
  @Test func nestedRunsDoNotEndTheWaitOfTheRunAroundThem() {
    keepAlive(.custom)
    log.performSlices(2)
    poll()
    RunLoop.current.perform { for _ in 1...9 { poll(.custom) } }.when(.currentLoopEnded)
    poll()
    #expect(log.events == ["1"])
  }

  /// The run around the nested one has waited for its turn, and the loop's outermost run still waits.
  @Test func aRunNestedInAnIdleTaskThatHasWaitedNeedNotWait() {
    RunLoop.current.perform { [log] in
      RunLoop.current.taskQueue.budget = .nanoseconds(1)
      RunLoop.current.perform {
        RunLoop.current.perform {
          RunLoop.current.perform { log("innermost") }.when(.idle)
          poll()
          log("polled")
        }.when(.idle)
      }.when(.idle)
      run()
    }.when(.nextLoopBegan)
    run()
    #expect(log.events == ["innermost", "polled"])
  }
}
