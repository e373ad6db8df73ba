import Foundation
import RunLoopTasks
import Testing

/// If tasks run before the loop's sleep, another pass follows at once.
///
/// SwiftUI needs that pass. It checks for changed state in an observer of `beforeWaiting` with order 0, before the
/// tasks of the pass, and a change does not wake the loop.
@Suite(.onOwnLoop) struct NextPassTests {
  enum Scheduling: CaseIterable { case beforeTheRun, bySource, byTimer, byBlock, byAnotherThread, byTask }

  @Test(arguments: Scheduling.allCases, [RunLoopTask.Timing.currentLoopEnded, .idle])
  func theNextPassSeesTheChangeOfATask(_ scheduling: Scheduling, timing: RunLoopTask.Timing) {
    keepAlive(.default)
    let isChanged = Box(false)
    observe(.beforeWaiting, order: Order.app) { _ in if isChanged.value { stopRun() } }
    schedule(scheduling, timing) { isChanged.value = true }
    run()  // without a limit: the watchdog ends a loop that sleeps
    #expect(isChanged.value)
  }

  /// Each change leads to the next one in the pass that sees it.
  ///
  /// There are only 8 changes. An observer that schedules a task in each pass would keep the loop awake, so after some
  /// passes the loop sleeps for a short time before each pass.
  @Test(arguments: OtherTask.allCases)
  func eachPassSeesTheChangeOfTheOneBefore(other: OtherTask) {
    keepAlive(.default)
    let (isChanged, seen) = (Box(true), Counter())
    switch other {
    case .none: break
    case .inAnotherMode: RunLoop.current.perform {}.forModes(.custom)
    case .delayed: RunLoop.current.perform {}.after(.seconds(1_000))
    }
    observe(.beforeWaiting, order: Order.app) { _ in
      guard isChanged.value else { return }
      isChanged.value = false
      if seen.count() == 8 { return stopRun() }
      RunLoop.current.perform { isChanged.value = true }.when(.currentLoopEnded)
    }
    run()
    #expect(seen.value == 8)
  }

  /// A task that is pending all the time.
  enum OtherTask: CaseIterable {
    case none, inAnotherMode, delayed
  }

  private func schedule(
    _ scheduling: Scheduling, _ timing: RunLoopTask.Timing, _ change: @escaping @Sendable () -> Void
  ) {
    let queue = RunLoop.current.taskQueue
    let schedule: @Sendable () -> Void = { queue.perform(when: timing, change) }
    switch scheduling {
    case .beforeTheRun: schedule()
    case .bySource:
      let source = RunLoopSource<Int> { _ in schedule() }
      RunLoop.current.add(source, forMode: .default)
      source.send(1)
    case .byTimer: addTimer(handler: schedule)
    case .byBlock: performBlock(schedule)
    case .byAnotherThread: observeOnce(.beforeWaiting, order: Order.last) { elsewhere(schedule) }
    case .byTask: RunLoop.current.perform(schedule).when(.nextLoopBegan)
    }
  }
}
