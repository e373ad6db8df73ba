import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// A loop on which nothing is pending sleeps until something else wakes it.
@Suite(.onOwnLoop) struct SleepTests {
  enum Before: CaseIterable {
    case nothing, ended, began, idle, common, cancelled, cancelledAll, source, budget, budgetAtWaking
    case nestedRun, nestedRunAtEntry, otherMode, emptyPasses, cancelledBeforeSleep, cancelledAfterItsWakeUp
  }

  @Test(arguments: Before.allCases, [false, true])
  func theLoopSleepsOnceAllTasksAreDone(_ before: Before, inAPass: Bool) {
    let counted = Box(0)
    if inAPass {
      addSource { _, _ in counted.value = passesBeforeSleep { prepare(before) } }.send(1)
      RunLoop.current.runPass()
    } else {
      counted.value = passesBeforeSleep { prepare(before) }
    }
    let mostPasses = mostPasses(before, inAPass: inAPass) + passesOfACancelledTimer
    #expect(counted.value <= mostPasses)  // a loop that stays awake makes thousands
  }

  /// Counts the passes in which something is done and one that finds the mode empty.
  private func mostPasses(_ before: Before, inAPass: Bool) -> Int {
    switch before {
    case .nothing, .otherMode, .emptyPasses, .source: inAPass ? 3 : 1
    case .nestedRun, .nestedRunAtEntry: 4
    case .budget, .budgetAtWaking: 5
    default: 3
    }
  }

  @Test(arguments: [true, false]) func aRunLoopThreadSleepsOnceAllTasksAreDone(isNested: Bool) {
    let thread = RunLoopThread(name: "a thread that sleeps")
    let source = RunLoopSource<Int> { _ in }
    let (iterations, isDone) = (Counter(), DispatchSemaphore(value: 0))
    thread.taskQueue.perform {
      observe([.entry, .beforeTimers]) { _ in iterations.count() }
      RunLoop.current.add(source, forMode: .default)
      if isNested { RunLoop.current.runPass() }
      source.send(1)
      RunLoop.current.perform { isDone.signal() }.when(.idle)
    }
    isDone.waitOrDie("the thread")
    Thread.sleep(forTimeInterval: 0.02)  // a loop that stays awake makes thousands meanwhile
    #expect(iterations.value <= 50)
    thread.stop()
  }

  enum ShortLivedTask: CaseIterable {
    case cancelled, cancelledAll, moved, run, runBesideAnIdleTask, overdueBesideAnIdleTask
  }

  /// Places before, between and after the loop's checks for an empty mode. A task that runs is due in the next pass if
  /// it is scheduled at the last of them.
  private static let cases = ShortLivedTask.allCases.flatMap { task in
    let places = [
      (RunLoop.Activity.beforeTimers, 0), (.beforeSources, 0), (.beforeSources, Order.frame), (.beforeWaiting, 0),
      (.afterWaiting, 0), (.afterWaiting, Order.frame), (.beforeWaiting, Order.frame),
    ]
    let runs = [.run, .runBesideAnIdleTask, .overdueBesideAnIdleTask].contains(task)
    return places.dropLast(runs ? 1 : 0).map { (task, $0) }
  }

  @Test(arguments: cases)
  func theLoopSleepsAlthoughEachPassHasAShortLivedTask(_ task: ShortLivedTask, at place: (RunLoop.Activity, Int)) {
    let passes = passesBeforeSleep {
      RunLoop.current.perform {}.when(.currentLoopEnded)  // so that a pass begins with a wake-up
      // Each pass has another task.
      if "\(task)".hasSuffix("BesideAnIdleTask") { RunLoop.current.perform {}.when(.idle) }
      observe(place.0, order: place.1) { _ in schedule(task) }
    }
    // After a few passes at once, the loop sleeps before each pass. A loop that stays awake makes thousands.
    #expect(passes <= 20)
  }

  private func schedule(_ task: ShortLivedTask) {
    let queue = RunLoop.current.taskQueue
    switch task {
    case .cancelled: queue.perform(when: .currentLoopEnded) {}.cancel()
    case .cancelledAll:
      queue.perform(when: .idle, forModes: [.common]) {}
      queue.cancelAll()
    case .moved: queue.perform(when: .currentLoopEnded) {}.forModes(.custom).cancel()
    case .run, .runBesideAnIdleTask: queue.perform(when: .currentLoopEnded) {}
    case .overdueBesideAnIdleTask: queue.perform(when: .idle, within: .zero) {}
    }
  }

  private func passesBeforeSleep(_ prepare: () -> Void) -> Int {
    keepAlive(.default, .custom)
    var passes = 0
    prepare()
    observe(.beforeWaiting) { _ in passes += 1 }
    // A busy machine makes fewer passes, never more. The timer repeats, because a nested run may take its stop.
    let timer = Timer(fire: Date(timeIntervalSinceNow: 0.03), interval: 0.03, repeats: true) { _ in stopRun() }
    RunLoop.current.add(timer, forMode: .default)
    run()
    timer.invalidate()
    return passes
  }

  private func prepare(_ before: Before) {
    let loop = RunLoop.current
    let queue = loop.taskQueue
    switch before {
    case .nothing: break
    case .ended: loop.perform {}.when(.currentLoopEnded)
    case .began: loop.perform {}.when(.nextLoopBegan)
    case .idle: loop.perform {}.when(.idle)
    case .common: loop.perform {}.forModes(.common)
    case .cancelled: loop.perform {}.cancel()
    case .cancelledAll:
      loop.perform {}.when(.currentLoopEnded)
      elsewhere { queue.cancelAll() }
    case .source:  // removed with an unread command
      let source = RunLoopSource<Int> { _ in }
      loop.add(source, forMode: .default)
      source.send(1)
      loop.remove(source, forMode: .default)
      observe(.exit) { _ in withExtendedLifetime(source) {} }
    case .budget:
      queue.budget = .nanoseconds(1)
      for _ in 1...3 { loop.perform {}.when(.currentLoopEnded) }
    case .budgetAtWaking:
      queue.budget = .nanoseconds(1)
      for _ in 1...2 { loop.perform {}.when(.nextLoopBegan) }
    case .nestedRun: loop.perform { loop.runPass() }.when(.currentLoopEnded)
    case .nestedRunAtEntry:
      loop.perform { loop.runPass() }.when(.nextLoopBegan)
      poll()
    case .otherMode: queue.perform(forModes: [.custom]) {}
    case .emptyPasses: runTaskAndEmptyPasses()
    case .cancelledBeforeSleep:  // the first task of the mode
      observeOnce(.beforeWaiting, order: Order.frame) { loop.perform {}.cancel() }
    case .cancelledAfterItsWakeUp:
      observeOnce(.beforeWaiting, order: Order.app) {
        let task = queue.perform {}
        observe(.beforeWaiting, order: Order.last) { _ in task.cancel() }
      }
    }
  }
}
