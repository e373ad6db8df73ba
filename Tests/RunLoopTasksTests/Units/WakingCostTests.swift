import Foundation
import Testing

@testable import RunLoopTasks

/// How often the engine makes a mode due, and for when. A host counts that.
@Suite struct WakingCostTests {
  private final class CountingLoop: HostLoop, @unchecked Sendable {
    // Unchecked, because a test stays on one thread.

    final class Mode: HostMode, @unchecked Sendable {
      // Unchecked, as above.
      var dates: [Double?] = []
      func observe() {}
      var isCommon = false
      func attach() {}
      func detach() {}
      func arm(after seconds: Double?) { dates.append(seconds) }
      func end() {}
    }

    var modes: [RunLoop.Mode: Mode] = [:]
    var running: [ModeID] = []

    func makeMode(_ name: RunLoop.Mode) -> any HostMode {
      let mode = modes[name] ?? Mode()
      modes[name] = mode
      return mode
    }

    var isRunning: Bool { !running.isEmpty }
    func currentMode(_: Scheduler) -> ModeID? { running.last }
    func wakeUp() {}
    func add(_: LoopSource, to _: RunLoop.Mode) {}
    func remove(_: LoopSource, from _: RunLoop.Mode) {}
    func add(_: LoopObserver, to _: RunLoop.Mode) {}
    func remove(_: LoopObserver, from _: RunLoop.Mode) {}
    func end() {}

    var timesArmed: Int { modes.values.reduce(0) { $0 + $1.dates.count } }
  }

  private let loop = CountingLoop()
  private let scheduler: Scheduler
  private var queue: RunLoopTaskQueue { RunLoopTaskQueue(scheduler: scheduler) }

  init() { scheduler = Scheduler(loop, of: nil) }

  private func pass(_ activity: RunLoop.Activity) {
    let mode = loop.running.last!
    if activity == .entry { scheduler.beforeObservers(in: mode) }
    scheduler.handle(activity, in: mode)
    if activity == .beforeWaiting || activity == .exit { scheduler.afterObservers(of: activity, in: mode) }
  }

  private func enter(_ mode: RunLoop.Mode) {
    loop.running.append(scheduler.id(of: mode))
    pass(.entry)
  }

  private func leave() {
    pass(.exit)
    loop.running.removeLast()
  }

  private func onLoopThread<Result>(_ body: () -> Result) -> Result {
    ThreadLocalScheduler.simulate(scheduler) {
      defer { scheduler.end() }
      return body()
    }
  }

  @Test func postsAfterANestedRunMakeEachModeDueOnce() {
    onLoopThread {
      for number in 1...25 { queue.perform(when: .idle, forModes: [RunLoop.Mode("mode \(number)")]) {} }
      enter(.default)
      pass(.beforeWaiting)
      enter(.custom)
      leave()
      let afterExit = loop.timesArmed
      #expect(afterExit == 25)
      ThreadLocalScheduler.simulate(nil) { for _ in 1...100 { queue.perform {} } }
      // The messages attach one more mode.
      #expect(loop.timesArmed <= 2 * afterExit + 2)
    }
  }

  @Test func nestedRunsMakeAModeDueOnceThatHasNotRunSince() {
    onLoopThread {
      for number in 1...25 { queue.perform(when: .idle, forModes: [RunLoop.Mode("mode \(number)")]) {} }
      enter(.default)
      pass(.beforeWaiting)
      for _ in 1...10 {
        enter(.custom)
        leave()
      }
      #expect(loop.timesArmed == 25)
    }
  }

  @Test func aTimerIsMadeOnceForADateThatDoesNotChange() {
    onLoopThread {
      queue.perform(after: .seconds(1_000)) {}
      enter(.default)
      for _ in 1...10 {
        pass(.beforeWaiting)
        pass(.afterWaiting)
      }
      #expect(loop.modes[.default]?.dates.count == 1)
      queue.perform(after: .seconds(500)) {}
      pass(.beforeWaiting)
      #expect(loop.modes[.default]?.dates.count == 2)
    }
  }

  /// The default of `MainActor.perform`. The timer is in the common modes, to which the mode of the run belongs.
  @Test func aDelayInTheCommonModesCostsOneTimer() {
    onLoopThread {
      loop.modes[.default]?.isCommon = true
      queue.perform(after: .seconds(1_000), forModes: [.common]) {}
      enter(.default)
      for _ in 1...10 {
        pass(.beforeWaiting)
        pass(.afterWaiting)
      }
      #expect(loop.timesArmed == 1)
    }
  }

  /// A task that another observer schedules at the `exit` of the outermost run makes no later post dearer.
  @Test func postsAfterTheOutermostRunMakeNoModeDue() {
    onLoopThread {
      enter(.default)
      pass(.exit)
      queue.perform(after: .seconds(1_000)) {}
      loop.running.removeLast()
      let before = loop.timesArmed
      for _ in 1...10 {
        enter(.default)
        leave()
        ThreadLocalScheduler.simulate(nil) { _ = queue.perform(after: .seconds(1_000)) {} }
      }
      #expect(loop.timesArmed <= before + 1)
    }
  }

  /// The pass that follows each batch is not put off, however many batches others have caused.
  @Test func postsInEachPassDoNotMakeTheLoopBackOff() {
    onLoopThread {
      enter(.default)
      for _ in 1...10 {
        ThreadLocalScheduler.simulate(nil) { _ = queue.perform(when: .currentLoopEnded) {} }
        pass(.beforeWaiting)
        pass(.afterWaiting)
      }
      #expect(loop.timesArmed == 0)
    }
  }

  /// A nested run has left, but not returned, so only a timer ends the sleep of the outer run, whose mode is empty then.
  @Test func aReplacementInAnotherModeLetsTheRunOfTheReplacedTaskReturn() {
    onLoopThread {
      queue.perform(after: .seconds(1_000), coalescedBy: 1) {}
      enter(.default)
      pass(.beforeWaiting)
      enter(.custom)
      pass(.exit)
      queue.perform(forModes: [RunLoop.Mode("another")], coalescedBy: 1) {}
      #expect(loop.modes[.default]?.dates.last == 0)
      loop.running.removeLast()
    }
  }

  /// The loop sleeps until the delay ends, and not until the key can be forgotten.
  @Test func theMemoryOfAThrottledKeyNeedsNoPass() {
    onLoopThread {
      queue.perform(coalescedBy: "key", atMostEvery: .seconds(1)) {}
      queue.perform(after: .seconds(1_000)) {}
      enter(.default)
      pass(.afterWaiting)
      pass(.beforeWaiting)
      pass(.afterWaiting)
      pass(.beforeWaiting)
      #expect((loop.modes[.default]?.dates.last ?? nil).map { $0 > 900 } == true)
    }
  }
}
