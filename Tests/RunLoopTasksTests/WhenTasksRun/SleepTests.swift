import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 3: a loop on which nothing is pending pays next to nothing. Once all is done it sleeps, and goes on sleeping.
@Suite struct SleepTests {
  enum Before: CaseIterable {
    case nothing, ended, began, idle, common, severalModes, amended, coalesced, cancelled, cancelledAll, posted, asked
    case earlierRun, source, budget, nestedRun, nestedRunInAnotherMode, nestedRunAtEntry, otherMode, rest,
      restAndAnotherMode,
      lateMode
  }

  @Test(arguments: Before.allCases, [false, true])
  func theLoopSleepsOnceAllIsDone(_ before: Before, inAPass: Bool) {
    let passes = onLoopThread {
      let passes = Box(0)
      if inAPass {
        let source = RunLoopSource<Int> { [self] _ in passes.value = passesBeforeSleep { prepare(before) } }
        RunLoop.current.add(source, forMode: .default)
        source.send(1)
        RunLoop.current.runPass()
        source.invalidate()
      } else {
        passes.value = passesBeforeSleep { prepare(before) }
      }
      return passes.value
    }
    let mostPasses = mostPasses(before, inAPass: inAPass) + passesOfACancelledTimer
    #expect(passes <= mostPasses)  // a loop that does not sleep makes thousands
  }

  /// Those in which something is done, and one that finds the mode empty.
  private func mostPasses(_ before: Before, inAPass: Bool) -> Int {
    switch before {
    case .nothing, .otherMode, .rest, .restAndAnotherMode, .source: inAPass ? 3 : 1
    case .nestedRun, .nestedRunAtEntry: 4
    case .budget: 5
    default: 3
    }
  }

  @Test(arguments: [true, false]) func aThreadSleepsOnceAllIsDone(isNested: Bool) {
    let thread = RunLoopThread(name: "a resident")
    let source = RunLoopSource<Int> { _ in }
    let (turns, isDone) = (Counter(), DispatchSemaphore(value: 0))
    thread.taskQueue.perform {
      observe([.entry, .beforeTimers]) { _ in turns.count() }
      RunLoop.current.add(source, forMode: .default)
      if isNested { RunLoop.current.runPass() }
      source.send(1)
      RunLoop.current.perform { isDone.signal() }.when(.idle)
    }
    isDone.waitOrDie("the thread")
    Thread.sleep(forTimeInterval: 0.02)  // in which a loop that does not sleep makes very many turns
    #expect(turns.value <= 50)
    thread.stop()
  }

  enum Visit: CaseIterable {
    case cancelled, cancelledAll, moved, run, runBesideAnIdleTask
  }

  /// What has come and gone when the loop looks whether its mode is empty, or does so between two looks, does not keep it awake.
  @Test(
    arguments: Visit.allCases,
    [
      (RunLoop.Activity.beforeTimers, 0), (.beforeSources, 0), (.beforeSources, Order.frame), (.beforeWaiting, 0),
      (.beforeWaiting, Order.frame), (.afterWaiting, 0), (.afterWaiting, Order.frame),
    ])
  func theLoopSleepsAlthoughTasksComeAndGoInEachPass(_ visit: Visit, at place: (RunLoop.Activity, Int)) {
    // What is scheduled there is due in the next pass.
    if [.run, .runBesideAnIdleTask].contains(visit), place == (.beforeWaiting, Order.frame) { return }
    let passes = onLoopThread {
      passesBeforeSleep {
        RunLoop.current.perform {}.when(.currentLoopEnded)  // so that there is a pass that begins with waking
        // It would be its turn in a pass without others.
        if visit == .runBesideAnIdleTask { RunLoop.current.perform {}.when(.idle) }
        observe(place.0, order: place.1) { _ in pay(visit) }
      }
    }
    // Some at once, and then each after a sleep twice as long; otherwise there would be thousands.
    #expect(passes <= 20)
  }

  /// The loop looks some times, and again after each sleep, because all else may go as well.
  @Test(arguments: [0, 1, RunStack.patience + 1])
  func aRunReturnsIfAllElseGoesInThePassOfItsLastTask(passesBefore: Int) {
    onLoopThread {
      var keepAlive: ModeHolder? = ModeHolder()
      RunLoop.current.perform {}.when(.currentLoopEnded)
      RunLoop.current.runPass()
      var passes = 0
      observe(.beforeWaiting, order: Order.app) { _ in
        passes += 1
        if passes <= passesBefore { RunLoop.current.perform {}.when(.currentLoopEnded) }
      }
      let isOver = Box(false)
      let soon = Date(timeIntervalSinceNow: 0.01)
      let timer = Timer(fire: soon, interval: 0, repeats: false) { _ in isOver.value = true }
      RunLoop.current.add(timer, forMode: .default)
      observe(.beforeWaiting, order: Order.app) { _ in
        guard isOver.value else { return }
        isOver.value = false
        keepAlive = nil
        RunLoop.current.perform {}.when(.currentLoopEnded)
      }
      run()
      withExtendedLifetime(keepAlive) {}
    }
  }

  /// Even after so many looks in vain that the loop is let sleep in between.
  @Test(arguments: [RunStack.patience, RunStack.patience + 1])
  func aRunReturnsIfAllElseGoesAfterManyLooks(passes: Int) {
    onLoopThread {
      var keepAlive: ModeHolder? = ModeHolder()
      RunLoop.current.perform {}.when(.currentLoopEnded)
      RunLoop.current.runPass()
      var pass = 0
      observe(.beforeWaiting, order: Order.app) { _ in
        pass += 1
        if pass <= passes { RunLoop.current.perform {}.when(.currentLoopEnded) }
        if pass == passes { keepAlive = nil }
      }
      run()
      #expect((passes...passes + passesOfACancelledTimer).contains(pass))
      withExtendedLifetime(keepAlive) {}
    }
  }

  /// A source that ends itself may be all that keeps a run alive, and each pass have had a task.
  @Test(arguments: [RunStack.patience, 2 * RunStack.patience])
  func aRunReturnsSoonAfterABurstOfCommands(commands: Int) {
    onLoopThread {
      let box = Box<RunLoopSource<Int>?>(nil)
      box.value = RunLoopSource<Int> { received in
        guard received[0] < commands else { return box.value!.invalidate() }
        RunLoop.current.perform { box.value!.send(received[0] + 1) }.when(.currentLoopEnded)
      }
      RunLoop.current.add(box.value!, forMode: .default)
      box.value!.send(1)
      run()
    }
  }

  /// An observer that comes after the package's own.
  @Test func aRunReturnsAlthoughANestedOneTakesTheWakeUpToLook() {
    onLoopThread {
      var keepAlive: ModeHolder? = ModeHolder()
      RunLoop.current.perform {}.when(.currentLoopEnded)
      RunLoop.current.runPass()
      let once = Counter()
      observe(.beforeWaiting, order: Order.app) { _ in
        guard once.count() == 1 else { return }
        RunLoop.current.perform {}.when(.currentLoopEnded)
        keepAlive = nil
      }
      observe(.beforeWaiting, order: Order.last) { _ in
        guard once.value == 1 else { return }
        let other = ModeHolder()
        poll()
        withExtendedLifetime(other) {}
      }
      run()
      withExtendedLifetime(keepAlive) {}
    }
  }

  /// A loop that rests hears nothing, and could not take back the timer that ends a nap.
  @Test func aNapKeepsNoLaterRunAlive() {
    onLoopThread {
      var keepAlive: ModeHolder? = ModeHolder()
      let passesBeforeRest = RunStack.patience + 3
      var passes = 0
      observe(.beforeWaiting, order: Order.app) { _ in
        passes += 1
        if passes <= passesBeforeRest { RunLoop.current.perform {}.when(.currentLoopEnded).cancel() }
      }
      observe(.beforeWaiting, order: Order.last) { _ in CFRunLoopWakeUp(CFRunLoopGetCurrent()) }
      observe(.afterWaiting, order: Order.app) { _ in if passes == passesBeforeRest { stopRun() } }
      run()
      keepAlive = nil
      _ = RunLoop.current.run(mode: .default, before: .distantFuture)  // returns
      withExtendedLifetime(keepAlive) {}
    }
  }

  /// Also in the pass that the package has brought about to look.
  @Test(arguments: [RunLoop.Activity.beforeTimers, .beforeSources, .beforeWaiting])
  func aRunReturnsIfAllElseGoesWithItsLastTask(activity: RunLoop.Activity) {
    let events = eventsOnLoopThread { log in
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
    }
    #expect(events == ["first", "last"])
  }

  /// What the loop finds there are only blocks, of which the last schedules a task.
  @Test func aRunThatOnlyBlocksKeepAliveReturns() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform {
        performBlock { performBlock { RunLoop.current.perform { log("last") }.when(.currentLoopEnded) } }
      }.when(.currentLoopEnded)
      run()
    }
    #expect(events == ["last"])
  }

  /// The loop has looked, and has found the task; only then it is cancelled.
  @Test func aRunReturnsIfItsLastTaskIsCancelledByTheFirstObserver() {
    let events = eventsOnLoopThread { log in
      let task = Box<RunLoopTask?>(nil)
      let observer = RunLoop.current.observe(.beforeTimers, forModes: [.default], order: .min) { _ in
        if log.events == ["first"], task.value?.cancel() == true { log("cancelled") }
      }
      RunLoop.current.perform { log("first") }.when(.currentLoopEnded)
      task.value = RunLoop.current.perform { log("idle") }.when(.idle)
      run()
      withExtendedLifetime(observer) {}
    }
    #expect(events == ["first", "cancelled"])
  }

  /// Before the package has heard of the run.
  @Test func aRunReturnsIfItsLastTaskIsCancelledAtItsVeryBeginning() {
    onLoopThread {
      let task = Box<RunLoopTask?>(nil)
      observe(.entry, order: Order.first) { _ in task.value?.cancel() }
      task.value = RunLoop.current.perform {}.when(.currentLoopEnded)
      run()
    }
  }

  private func pay(_ visit: Visit) {
    let queue = RunLoop.current.taskQueue
    switch visit {
    case .cancelled: queue.perform(when: .currentLoopEnded) {}.cancel()
    case .cancelledAll:
      queue.perform(when: .idle, forModes: [.common]) {}
      queue.cancelAll()
    case .moved: queue.perform(when: .currentLoopEnded) {}.forModes(.custom).cancel()
    case .run, .runBesideAnIdleTask: queue.perform(when: .currentLoopEnded) {}
    }
  }

  private func passesBeforeSleep(_ prepare: () -> Void) -> Int {
    let keepAlive = (ModeHolder(), ModeHolder(.custom))
    var passes = 0
    prepare()
    observe(.beforeWaiting) { _ in passes += 1 }
    // If the machine is so busy that the time is over sooner, there are fewer passes, never more. It repeats, because a nested
    // run could take the stop for its own. (The first date of a `Timer(timeInterval:)` is now on Linux.)
    let timer = Timer(fire: Date(timeIntervalSinceNow: 0.03), interval: 0.03, repeats: true) { _ in stopRun() }
    RunLoop.current.add(timer, forMode: .default)
    run()
    timer.invalidate()
    withExtendedLifetime(keepAlive) {}
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
    case .severalModes: loop.perform {}.forModes(.default, .custom)
    case .amended: loop.perform {}.when(.idle).forModes(.custom).when(.currentLoopEnded).forModes(.default)
    case .coalesced: for _ in 1...2 { loop.perform {}.coalesced(by: 1) }
    case .cancelled: loop.perform {}.cancel()
    case .cancelledAll:
      loop.perform {}.when(.currentLoopEnded)
      elsewhere { queue.cancelAll() }
    case .posted: elsewhere { queue.perform(when: .currentLoopEnded) {} }
    case .asked: elsewhere { _ = queue.debugDescription }
    case .earlierRun:
      loop.perform {}.when(.currentLoopEnded)
      loop.runPass()
    case .source:  // is taken out with what it has left
      let source = RunLoopSource<Int> { _ in }
      loop.add(source, forMode: .default)
      source.send(1)
      loop.remove(source, forMode: .default)
      observe(.exit) { _ in withExtendedLifetime(source) {} }
    case .budget:
      queue.budget = .nanoseconds(1)
      for _ in 1...3 { loop.perform {}.when(.currentLoopEnded) }
    case .nestedRun: loop.perform { loop.runPass() }.when(.currentLoopEnded)
    case .nestedRunInAnotherMode:
      loop.perform {
        loop.perform {}.forModes(.custom)
        loop.runPass(mode: .custom)
      }.when(.currentLoopEnded)
    case .nestedRunAtEntry:
      loop.perform { loop.runPass() }.when(.nextLoopBegan)
      poll()
    case .otherMode: queue.perform(forModes: [.custom]) {}
    case .rest:
      loop.perform {}.when(.currentLoopEnded)
      letTheLoopRest()
    case .restAndAnotherMode:
      loop.perform {}.when(.currentLoopEnded)
      letTheLoopRest()
      queue.perform(forModes: [.custom]) {}
    case .lateMode:  // gets its first task, and loses it again, on the way to sleep
      let once = Counter()
      observe(.beforeWaiting, order: Order.frame) { _ in if once.count() == 1 { loop.perform {}.cancel() } }
    }
  }
}
