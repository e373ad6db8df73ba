import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 3: after tasks ran before the loop's sleep, there is another pass at once.
///
/// SwiftUI needs it. It looks for changed state in an observer of `beforeWaiting` with order 0, which is before the tasks of that
/// pass, and a change does not wake the loop.
@Suite struct NextPassTests {
  enum Scheduling: CaseIterable { case beforeTheRun, bySource, byTimer, byBlock, byAnotherThread, byTask }

  @Test(arguments: Scheduling.allCases, [RunLoopTask.Timing.currentLoopEnded, .idle])
  func whatATaskChangesIsSeenInTheNextPass(_ scheduling: Scheduling, timing: RunLoopTask.Timing) {
    onLoopThread {
      let keepAlive = ModeHolder()
      let isChanged = Box(false)
      observe(.beforeWaiting, order: Order.app) { _ in if isChanged.value { stopRun() } }
      schedule(scheduling, timing) { isChanged.value = true }
      run()  // for ever, if the loop sleeps on the change
      #expect(isChanged.value)
      withExtendedLifetime(keepAlive) {}
    }
  }

  /// Each change leads to the next one, in the pass in which it is seen.
  ///
  /// There are few of them. An observer that gives the loop a task in each pass would keep it awake, so after some passes the
  /// loop sleeps a little before the next one, and each time longer.
  @Test(arguments: [true, false])
  func manyChangesInARowAreSeen(isAnotherTaskPending: Bool) {
    onLoopThread {
      let keepAlive = ModeHolder()
      let (isChanged, seen) = (Box(true), Counter())
      if isAnotherTaskPending { RunLoop.current.perform {}.forModes(.custom) }
      observe(.beforeWaiting, order: Order.app) { _ in
        guard isChanged.value else { return }
        isChanged.value = false
        if seen.count() == 8 { return stopRun() }
        RunLoop.current.perform { isChanged.value = true }.when(.currentLoopEnded)
      }
      run()
      #expect(seen.value == 8)
      withExtendedLifetime(keepAlive) {}
    }
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
    case .byTimer:
      RunLoop.current.add(Timer(fire: Date(), interval: 0, repeats: false) { _ in schedule() }, forMode: .default)
    case .byBlock: performBlock(schedule)
    case .byAnotherThread:
      let once = Counter()
      observe(.beforeWaiting, order: Order.last) { _ in if once.count() == 1 { elsewhere(schedule) } }
    case .byTask: RunLoop.current.perform(schedule).when(.nextLoopBegan)
    }
  }
}
