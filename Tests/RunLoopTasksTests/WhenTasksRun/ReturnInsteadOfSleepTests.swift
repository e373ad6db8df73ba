import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// A run returns instead of sleeping once its mode has neither tasks nor anything else.
///
/// CoreFoundation finds out that a mode is empty only after a sleep, so the package wakes the loop. The runs have no
/// limit, so a run that does not return hits the watchdog.
@Suite(.onOwnLoop) struct ReturnInsteadOfSleepTests {
  let log = Log()

  @Test(arguments: [0, 1, 5])
  func aRunReturnsIfItsLastSourceGoesInAPassWithATask(passesBefore: Int) {
    var holder: ModeHolder? = ModeHolder()
    RunLoop.current.perform {}.when(.currentLoopEnded)
    RunLoop.current.runPass()
    observeNumbered(.beforeWaiting, order: Order.app) { pass in
      if pass <= passesBefore { RunLoop.current.perform {}.when(.currentLoopEnded) }
    }
    let isOver = Box(false)
    addTimer(after: 0.01) { isOver.value = true }
    observe(.beforeWaiting, order: Order.app) { _ in
      guard isOver.value else { return }
      isOver.value = false
      holder = nil
      RunLoop.current.perform {}.when(.currentLoopEnded)
    }
    run()
    withExtendedLifetime(holder) {}
  }

  /// After some fruitless passes the loop sleeps for a short time before each pass.
  @Test(arguments: 3...6)
  func aRunReturnsIfItsLastSourceGoesAfterManyPassesWithTasks(passes: Int) {
    var holder: ModeHolder? = ModeHolder()
    RunLoop.current.perform {}.when(.currentLoopEnded)
    RunLoop.current.runPass()
    var pass = 0
    observeNumbered(.beforeWaiting, order: Order.app) { number in
      pass = number
      if pass <= passes { RunLoop.current.perform {}.when(.currentLoopEnded) }
      if pass == passes { holder = nil }
    }
    run()
    #expect((passes...passes + passesOfACancelledTimer).contains(pass))
    withExtendedLifetime(holder) {}
  }

  /// The source alone keeps the run alive until it invalidates itself. Each pass has a task.
  @Test(arguments: 3...9)
  func aRunReturnsAfterManyCommandsOfASourceThatInvalidatesItself(commands: Int) {
    let box = Box<RunLoopSource<Int>?>(nil)
    box.value = RunLoopSource<Int> { received in
      guard received[0] < commands else { return box.value!.invalidate() }
      RunLoop.current.perform { box.value!.send(received[0] + 1) }.when(.currentLoopEnded)
    }
    RunLoop.current.add(box.value!, forMode: .default)
    box.value!.send(1)
    run()
  }

  /// The observer that runs the loop nested comes after the observers of the package.
  @Test func aRunReturnsIfANestedRunConsumesTheWakeUp() {
    var holder: ModeHolder? = ModeHolder()
    RunLoop.current.perform {}.when(.currentLoopEnded)
    RunLoop.current.runPass()
    let passes = Counter()
    observe(.beforeWaiting, order: Order.app) { _ in
      guard passes.count() == 1 else { return }
      RunLoop.current.perform {}.when(.currentLoopEnded)
      holder = nil
    }
    observe(.beforeWaiting, order: Order.last) { _ in
      guard passes.value == 1 else { return }
      let other = ModeHolder()
      poll()
      withExtendedLifetime(other) {}
    }
    run()
    withExtendedLifetime(holder) {}
  }

  /// A timer ends the short sleep after fruitless passes. It would keep the later run alive if it stayed in the mode.
  @Test func theTimerOfAShortSleepKeepsNoLaterRunAlive() {
    var holder: ModeHolder? = ModeHolder()
    let passesBeforeStop = 7
    var passes = 0
    observe(.beforeWaiting, order: Order.app) { _ in
      passes += 1
      if passes <= passesBeforeStop { RunLoop.current.perform {}.when(.currentLoopEnded).cancel() }
    }
    observe(.beforeWaiting, order: Order.last) { _ in CFRunLoopWakeUp(CFRunLoopGetCurrent()) }
    observe(.afterWaiting, order: Order.app) { _ in if passes == passesBeforeStop { stopRun() } }
    run()
    holder = nil
    _ = RunLoop.current.run(mode: .default, before: .distantFuture)
    withExtendedLifetime(holder) {}
  }

  /// The package has woken the loop for the pass in which the last task is scheduled.
  @Test(arguments: [RunLoop.Activity.beforeTimers, .beforeSources, .beforeWaiting])
  func aRunReturnsIfItsLastTaskInvalidatesItsLastTimer(activity: RunLoop.Activity) {
    let timer = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
    RunLoop.current.add(timer, forMode: .default)
    observe(activity, order: Order.app) { _ in
      guard log.events == ["first"] else { return }
      RunLoop.current.perform {
        log("last")
        timer.invalidate()
      }.when(.currentLoopEnded)
    }
    RunLoop.current.perform { log("first") }.when(.currentLoopEnded)
    run()
    #expect(log.events == ["first", "last"])
  }

  @Test func aRunReturnsIfItsLastBlockSchedulesItsLastTask() {
    RunLoop.current.perform {
      performBlock { performBlock { RunLoop.current.perform { log("last") }.when(.currentLoopEnded) } }
    }.when(.currentLoopEnded)
    run()
    #expect(log.events == ["last"])
  }

  /// The timer for the backlog keeps its mode alive after the last task.
  @Test func aRunWokenBeforeTheTimerForItsBacklogReturns() {
    let queue = RunLoop.current.taskQueue
    queue.budget = .nanoseconds(1)
    RunLoop.current.perform { log("common") }.when(.nextLoopBegan).forModes(.common)
    RunLoop.current.perform {
      log("ended")
      elsewhere { queue.perform {}.cancel() }  // wakes the loop
    }.when(.currentLoopEnded)
    observeNumbered(.beforeWaiting, order: Order.app) { pass in
      if pass == 2 { poll() }  // consumes all other wake-ups
    }
    run()
    log("returned")
    #expect(log.events == ["ended", "common", "returned"])
  }
}
