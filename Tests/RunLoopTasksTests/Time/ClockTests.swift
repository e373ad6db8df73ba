import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Testing

/// `RunLoopTaskQueue.clock`.
@Suite(.onOwnLoop) struct ClockTests {
  /// Runs only inside `perform`.
  let loop = LoopThread()
  private var clock: RunLoopClock { loop.queue.clock }

  // MARK: Instants

  /// In the tasks of the second case, the loop sleeps, so the clock also runs in between.
  @Test(arguments: [false, true]) func theTimeGoesBackOnNoThread(sleeps: Bool) {
    let clock = clockToRead()
    let (isOver, stepsBack) = (Box(false), Counter())
    let readers = (1...2).map { _ in
      JoinableThread {
        var latest = clock.now
        while !isOver.value {
          for _ in 1...50 {
            let now = clock.now
            if now < latest { stepsBack.count() }
            latest = now
          }
        }
      }
    }
    for _ in 1...(sleeps ? 150 : 1_500) {
      if sleeps { RunLoop.current.perform { _ = RunLoop.current.runUntil(timeout: .microseconds(300)) { false } } }
      RunLoop.current.advance(by: .microseconds(100))
    }
    isOver.value = true
    for reader in readers { reader.join() }
    #expect(stepsBack.value == 0)
  }

  @Test func instantsAddUp() {
    let now = RunLoopTaskQueue.main.clock.now
    for duration in [Duration.zero, .nanoseconds(1), .seconds(3), .seconds(-3)] {
      #expect(now.duration(to: now.advanced(by: duration)) == duration)
    }
    #expect(now < now.advanced(by: .nanoseconds(1)) && now.advanced(by: .nanoseconds(-1)) < now)
  }

  @Test func theClockMovesWithTimeAndWithAdvance() {
    let clock = clockToRead()
    let start = clock.now
    while clock.now == start {}
    RunLoop.current.advance(by: .seconds(5_000))
    let distance = start.duration(to: clock.now)
    #expect(distance > .seconds(5_000))
    #expect(clock.minimumResolution == .nanoseconds(1))
  }

  // MARK: Sleeping

  @Test(arguments: [false, true]) func aSleepingLoopWakesForTheDeadline(isGeneric: Bool) async throws {
    let loop = LoopThread(running: .default)
    let clock = loop.queue.clock
    let start = clock.now
    if isGeneric {
      try await (clock as any Clock<Duration>).sleep(for: .milliseconds(5))
    } else {
      try await clock.sleep(for: .milliseconds(5))
    }
    #expect(start.duration(to: clock.now) >= .milliseconds(5))
    #expect(loop.queue.count == 0)
    loop.end()
  }

  @Test func aSleepEndsInAnyCommonModeAtTheFirstActivityAfterItsDeadline() async throws {
    let mode = RunLoop.Mode("RunLoopTasksTests.clock")
    loop.makeCommon(mode)
    let sleep = Task { try await clock.sleep(for: .seconds(1_000)) }
    await loop.waitForTask()
    let events = Log()
    loop.perform {
      let queue = RunLoop.current.taskQueue
      let observer = RunLoop.current.observe([.entry, .exit], forModes: [mode], order: .max) {
        events("\($0 == .entry) \(queue.count)")
      }
      RunLoop.current.advance(by: .seconds(500), mode: mode)
      RunLoop.current.advance(by: .seconds(501), mode: mode)
      observer.invalidate()
    }
    try await sleep.value
    #expect(events.events == (Array(repeating: 1, count: 3) + [0, 0]).flatMap { ["true \($0)", "false \($0)"] })
  }

  /// The clock moves no further than a hundred years.
  @Test func aDeadlineWithinAHundredYearsIsReached() async throws {
    let sleep = Task { try await clock.sleep(for: .seconds(99 * 365 * 86_400)) }
    await loop.waitForTask()
    loop.perform {
      RunLoop.current.runPass()
      RunLoop.current.advance(by: .seconds(Int64.max))
    }
    try await sleep.value
  }

  @Test func aDeadlineInThePastReturnsAtOnce() async throws {
    try await clock.sleep(until: clock.now)
    try await clock.sleep(for: .seconds(-1e12))
    #expect(loop.queue.count == 0)
  }

  // MARK: Cancellation

  @Test func aCancelledTaskDoesNotSleepEvenUntilThePast() async {
    let sleep = Task {
      await eventually { Task.isCancelled }
      try await clock.sleep(for: .seconds(-1))
    }
    sleep.cancel()
    await #expect(throws: CancellationError.self) { try await sleep.value }
  }

  enum Ending: CaseIterable { case cancellation, cancelAll, endOfTheLoop }

  /// The loop does not run, except to release the sleeper after `cancelAll`.
  @Test(arguments: Ending.allCases) func aCancelledSleepThrowsAndLeavesNothing(_ ending: Ending) async {
    let sleep = Task { try await clock.sleep(for: .seconds(1_000)) }
    await loop.waitForTask()
    switch ending {
    case .cancellation: sleep.cancel()
    case .cancelAll:
      loop.queue.cancelAll()
      loop.perform { RunLoop.current.runPass() }
    case .endOfTheLoop: loop.end()
    }
    await #expect(throws: CancellationError.self) { try await sleep.value }
    #expect(loop.queue.count == 0)
  }
}
