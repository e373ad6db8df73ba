import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// `RunLoopThread.stop` and `join`.
@Suite(.onOwnLoop) struct ThreadStopTests {
  @Test func stopEndsTheThreadAndCancelsPendingTasks() async throws {
    let thread = RunLoopThread(name: "worker")
    let never = thread.taskQueue.perform(forModes: [.custom]) {}
    thread.stop()
    thread.stop()
    join(thread)
    #expect(never.state == .cancelled)
    #expect(thread.taskQueue.count == 0)
    #expect(thread.taskQueue.perform {}.state == .cancelled)
    join(thread)  // returns at once
  }

  @Test func stopFinishesTheCurrentPass() {
    let thread = RunLoopThread(name: "worker")
    let log = Log()
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
    let thread = RunLoopThread(name: "worker")
    let log = Log()
    thread.taskQueue.perform {
      thread.stop()
      RunLoop.current.perform {
        RunLoop.current.perform {
          log("second pass of the nested run")
          stopRun()
        }.when(.nextLoopBegan)
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
    let thread = RunLoopThread(name: "worker")
    let hasEnded = DispatchSemaphore(value: 0)
    thread.taskQueue.perform {
      RunLoop.current.perform {
        CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), RunLoop.Mode.custom.cf)
        stopRun()
      }.when(.nextLoopBegan).forModes(.custom)
      run(.custom)
      hasEnded.signal()
    }
    hasEnded.waitOrDie("the end of the nested run")
    thread.stop()
    join(thread)
  }

  /// The nested run of an observer with the highest order consumes the wake-up.
  @Test func stopTakesEffectAfterTheNestedRunOfALastObserver() {
    let thread = RunLoopThread(name: "worker")
    let (kept, once, isMade) = (Box<[SharedObserver]>([]), Counter(), DispatchSemaphore(value: 0))
    thread.taskQueue.perform {
      let keepAlive = ModeHolder(.custom)
      let waker = RunLoop.current.observe(.afterWaiting, forModes: [.custom]) { _ in stopRun() }
      let nester = RunLoop.current.observe(.beforeWaiting, forModes: [.default], order: .max) { _ in
        guard once.count() == 1 else { return }
        observe(.beforeWaiting, in: .custom) { _ in elsewhere { thread.stop() } }
        run(.custom)
        withExtendedLifetime(keepAlive) {}
      }
      kept.value = [SharedObserver(observer: waker), SharedObserver(observer: nester)]
      isMade.signal()
    }
    isMade.waitOrDie("the observers")
    join(thread)
  }

  @Test func theThreadHasItsNameUntilItHasEnded() {
    #expect(eventsAtTheEnd(of: RunLoopThread(name: "worker")) { $0(Thread.current.name ?? "?") } == ["worker"])
  }

  @Test func anActorIsIsolatedToTheThreadUntilItHasEnded() {
    let actor = ThreadActor()
    let events = eventsAtTheEnd(of: actor.thread) { log in actor.assumeIsolated { _ in log("isolated") } }
    #expect(events == ["isolated"])
  }

  @Test func aHundredThreadsStopWhileOthersScheduleTasks() {
    let (ran, released) = (Counter(), Counter())
    for _ in 1...100 {
      let thread = RunLoopThread(name: "worker")
      let posted = DispatchSemaphore(value: 0)
      Thread {
        for number in 0..<100 {
          let token = Token { released.count() }
          thread.taskQueue.perform(when: RunLoopTask.Timing.allCases[number % 3]) {
            token.use()
            ran.count()
          }
        }
        posted.signal()
      }.start()
      thread.stop()
      join(thread)
      posted.waitOrDie("the posting thread")
    }
    waitUntil { released.value == 100 * 100 }
  }

  @Test func releasingTheThreadStopsIt() {
    let log = Log()
    let queue: RunLoopTaskQueue = {
      let thread = RunLoopThread(name: "worker")
      return thread.taskQueue
    }()
    waitUntil { queue.perform {}.state == .cancelled }
    // One of its own tasks has the last reference.
    let own: RunLoopTaskQueue = {
      let thread = RunLoopThread(name: "worker")
      thread.taskQueue.perform { withExtendedLifetime(thread) { log("ran") } }
      return thread.taskQueue
    }()
    waitUntil { own.perform {}.state == .cancelled }
    #expect(log.events.count <= 1)
  }

  @Test func aClosureThatTheEndReleasesMayRunTheLoop() {
    let log = Log()
    func threadWithATask() -> RunLoopThread {
      let thread = RunLoopThread(name: "worker")
      let token = Token {
        let timer = Timer(timeInterval: 0.005, repeats: false) { _ in
          log("timer")
          stopRun()
        }
        RunLoop.current.add(timer, forMode: .default)
        run()
      }
      thread.taskQueue.perform(forModes: [.other]) { token.use() }
      return thread
    }
    let thread = threadWithATask()
    thread.stop()
    join(thread)
    #expect(log.events == ["timer"])
  }

  /// Calls `body` in the `onCancel` of a source as the thread ends, and returns the logged events.
  private func eventsAtTheEnd(of thread: RunLoopThread, _ body: @escaping @Sendable (Log) -> Void) -> [String] {
    let log = Log()
    thread.taskQueue.addAndWait(RunLoopSource<Int>(onCancel: { _ in body(log) }, perform: { _ in }))
    thread.stop()
    join(thread)
    return log.events
  }
}
