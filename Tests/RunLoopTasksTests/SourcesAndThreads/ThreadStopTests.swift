import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// The end of a `RunLoopThread`, by `stop` or by the release of the last reference.
@Suite(.onOwnLoop) struct ThreadStopTests {
  let thread = RunLoopThread(name: "worker")
  let log = Log()

  @Test func stopEndsTheThreadAndCancelsPendingTasks() {
    let pending = [
      thread.taskQueue.perform(forModes: [.custom]) {}, thread.taskQueue.perform(after: .seconds(3_000)) {},
    ]
    thread.stop()
    thread.stop()
    join(thread)
    #expect(pending.map(\.state) == [.cancelled, .cancelled])
    #expect(thread.taskQueue.count == 0)
    #expect(thread.taskQueue.perform {}.state == .cancelled)
    join(thread)  // returns at once
  }

  @Test func stopFinishesTheCurrentPass() {
    thread.taskQueue.perform {
      thread.stop()
      RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
      RunLoop.current.perform { log("idle") }.when(.idle)  // at the exit of the run
      log("stopped")
    }
    join(thread)
    #expect(log.events == ["stopped", "ended", "idle"])
  }

  @Test func stopDoesNotInterruptANestedRun() {
    thread.taskQueue.perform {
      thread.stop()
      RunLoop.current.perform {
        RunLoop.current.perform { log.andStop("second pass of the nested run") }.when(.nextLoopBegan)
      }.when(.nextLoopBegan)
      run()
      log("nested run ended")
    }
    join(thread)
    #expect(log.events == ["second pass of the nested run", "nested run ended"])
  }

  /// The nested run consumes the wake-up, and no check follows before the outer run sleeps.
  @Test(arguments: [RunLoop.Mode.default, .custom])
  func stopTakesEffectAfterANestedRunOfTheLastObserver(mode: RunLoop.Mode) {
    let thread = RunLoopThread(name: "worker")
    thread.taskQueue.perform {
      let calls = Counter()
      observe(.beforeWaiting, order: Order.last) { _ in
        guard calls.count() == 1 else { return }
        keepAlive(mode)
        let stop = observe(.afterWaiting, in: mode) { _ in stopRun() }
        performBlock(in: mode) { thread.stop() }
        run(mode)
        CFRunLoopObserverInvalidate(stop)
      }
    }
    join(thread)
  }

  @Test func stopTakesEffectAfterAModeBecameCommonInANestedRun() {
    let hasEnded = DispatchSemaphore(value: 0)
    thread.taskQueue.perform {
      RunLoop.current.perform {
        makeCommon(.custom)
        stopRun()
      }.when(.nextLoopBegan).forModes(.custom)
      run(.custom)
      hasEnded.signal()
    }
    hasEnded.waitOrDie("the end of the nested run")
    thread.stop()
    join(thread)
  }

  @Test func theThreadKeepsItsNameAndItsIsolationUntilItHasEnded() {
    let actor = ThreadActor(thread)
    let source = RunLoopSource<Int>(
      onCancel: { _ in
        log(Thread.current.name ?? "?")
        actor.assumeIsolated { _ in log("isolated") }
      }, perform: { _ in })
    thread.taskQueue.addAndWait(source)
    thread.stop()
    join(thread)
    #expect(log.events == ["worker", "isolated"])
  }

  @Test func aHundredThreadsStopWhileOthersScheduleTasks() {
    let released = Counter()
    for _ in 1...100 {
      let thread = RunLoopThread(name: "worker")
      let poster = JoinableThread {
        for number in 0..<100 {
          thread.taskQueue.perform(
            when: RunLoopTask.Timing.allCases[number % 3], closure(whenReleased: { released.count() }))
        }
      }
      thread.stop()
      join(thread)
      poster.join()
    }
    waitUntil { released.value == 100 * 100 }
  }

  @Test func aClosureThatTheEndReleasesMayRunTheLoop() {
    thread.taskQueue.perform(
      forModes: [.other],
      closure(whenReleased: {
        addTimer(after: 0.005) { log.andStop("timer") }
        run()
      }))
    thread.stop()
    join(thread)
    #expect(log.events == ["timer"])
  }

  // MARK: the last reference

  enum LastReference: CaseIterable { case ofItsOwner, ofItsOwnerWhileATaskWaits, ofItsOwnTask }

  @Test(arguments: LastReference.allCases) func releasingTheThreadStopsIt(_ reference: LastReference) {
    let queue: RunLoopTaskQueue = {
      let thread = RunLoopThread(name: "worker")
      switch reference {
      case .ofItsOwner: log("released")
      case .ofItsOwnerWhileATaskWaits:
        thread.taskQueue.perform(after: .seconds(3_000), closure(whenReleased: { log("released") }))
      case .ofItsOwnTask: thread.taskQueue.perform { withExtendedLifetime(thread) { log("released") } }
      }
      return thread.taskQueue
    }()
    waitUntil { log.events == ["released"] && queue.perform {}.state == .cancelled }
  }

  /// A destructor of thread-specific data shows that the thread itself ends, not only its loop.
  @Test(arguments: [true, false]) func releasingTheLastReferenceEndsTheThread(wasStopped: Bool) {
    let (isSet, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    do {
      let thread = RunLoopThread(name: "worker")
      thread.taskQueue.perform {
        Thread.current.threadDictionary["token"] = Token { hasEnded.signal() }
        isSet.signal()
      }
      isSet.waitOrDie("the task")
      if wasStopped {
        thread.stop()
        join(thread)
        #expect(hasEnded.wait(timeout: .now()) == .timedOut)  // The thread stays for the jobs of its actors.
      }
    }
    hasEnded.waitOrDie("the end of the thread")
  }

  /// The jobs have the last references, and a task in the nested run of the first one releases its own.
  @Test func aRunNestedInAJobMayReleaseTheThread() async {
    let queue = {
      let thread = RunLoopThread(name: "worker")
      let reference = Box<RunLoopThread?>(thread)
      Task(executorPreference: thread) {
        releaseInNestedRun(reference)
        log("released")
      }
      Task(executorPreference: thread) { log("other job") }
      return thread.taskQueue
    }()
    await eventually { log.events == ["released", "other job"] }
    await eventually { queue.perform {}.state == .cancelled }
  }

  @Test func aTaskKeepsItsThreadUntilItHasEnded() async {
    let mayEnd = Counter()
    let (task, queue) = {
      let thread = RunLoopThread(name: "worker")
      thread.taskQueue.perform(forModes: [.other], closure(whenReleased: { log("released") }))
      let task = Task(executorPreference: thread) { while mayEnd.value == 0 { await Task.yield() } }
      return (task, thread.taskQueue)
    }()
    for _ in 1...20 { await Task.yield() }
    #expect(queue.count == 1)
    mayEnd.count()
    await task.value
    await eventually { log.events == ["released"] }
  }
}

private func releaseInNestedRun(_ reference: Box<RunLoopThread?>) {
  RunLoop.current.perform { reference.value = nil }.when(.nextLoopBegan)
  RunLoop.current.runUntilTasksFinish()
}
