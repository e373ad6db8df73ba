import Foundation
import RunLoopTasks
import Testing

/// The release of a coalescing key may schedule and cancel tasks and run the loop.
@Suite(.onOwnLoop) struct KeyLifetimeTests {
  let log = Log()

  /// Calls a closure when it is released. Keys with the same number are equal.
  @Test func theReleaseOfAKeyMayScheduleWithAnEqualKey() {
    let queue = RunLoop.current.taskQueue
    func replaced() {
      queue.perform(
        coalescedBy: NumberedKey(1) { queue.perform(coalescedBy: NumberedKey(1)) { log("from the key") } }
      ) {}
    }
    replaced()
    queue.perform(coalescedBy: NumberedKey(1)) { log("second") }
    #expect(queue.count == 1)
    RunLoop.current.runUntilTasksFinish()
    #expect(log.events == ["from the key"])
  }

  @Test func theReleaseOfAKeyMayScheduleWithAnotherKey() {
    final class Key: Hashable, Sendable {
      static func == (one: Key, other: Key) -> Bool { true }
      func hash(into hasher: inout Hasher) {}
      deinit { RunLoop.current.perform {}.when(.idle).coalesced(by: "key scheduled at the release") }
    }
    for _ in 1...3 { RunLoop.current.perform {}.when(.idle).coalesced(by: Key()) }
    RunLoop.current.perform {}.when(.idle).coalesced(by: Key()).coalesced(by: 1).cancel()
    RunLoop.current.runUntilTasksFinish()
    #expect(RunLoop.current.taskQueue.count == 0)
  }

  @Test func theReleaseOfAKeyMayCancelAllTasks() {
    let queue = RunLoop.current.taskQueue
    let released = Counter()
    func replaced() { queue.perform(coalescedBy: NumberedKey(1) { queue.cancelAll() }) {} }
    replaced()
    queue.perform(coalescedBy: NumberedKey(1) { released.count() }) {}
    RunLoop.current.runUntilTasksFinish()
    #expect(released.value == 1)
  }

  /// The loop releases the key when it reads its messages before it sleeps. A task observer must serve the nested run.
  @Test(arguments: [Order.app, Order.frame])
  func theReleaseOfAKeyMayRunTheLoop(order: Int) {
    let queue = RunLoop.current.taskQueue
    func replaced() {
      queue.perform(
        when: .idle, forModes: [.other],
        coalescedBy: NumberedKey(1) {
          queue.perform(when: .currentLoopEnded) { log("nested") }
          run()
        }
      ) {}
    }
    replaced()
    observeOnce(.beforeWaiting, order: order) {
      elsewhere { queue.perform(forModes: [.other], coalescedBy: NumberedKey(1)) {} }
    }
    queue.perform { log("outer") }
    run()
    #expect(Set(log.events) == ["nested", "outer"])
  }

  /// `cancelAll()` cancels the task before the loop reads the message that schedules it.
  @Test(arguments: [Order.app, Order.frame], [true, false])
  func theReleaseOfAKeyInAMessageMayRunTheLoop(order: Int, inOneStep: Bool) {
    let queue = RunLoop.current.taskQueue
    observeOnce(.beforeWaiting, order: order) {
      elsewhere {
        func key() -> NumberedKey {
          NumberedKey(1) {
            queue.perform(when: .currentLoopEnded) { log("nested") }
            run()
          }
        }
        if inOneStep { queue.perform(coalescedBy: key()) {} } else { queue.perform {}.coalesced(by: key()) }
        queue.cancelAll()
        queue.perform { log("outer") }
      }
    }
    RunLoop.current.perform {}.when(.idle)
    run()
    #expect(Set(log.events) == ["nested", "outer"])
  }

  @Test func aKeyIsReleasedOnceItsTaskHasRunAlthoughTheTaskIsHeld() {
    let task = RunLoop.current.perform { log("ran") }.when(.currentLoopEnded)
    func key() { task.coalesced(by: NumberedKey(1) { log("key released") }) }
    key()
    RunLoop.current.perform { log("next") }.when(.currentLoopEnded)
    run()
    #expect(task.state == .finished)
    #expect(log.events == ["ran", "key released", "next"])
  }

  @Test func aLoopThatEndsReleasesItsKeysAlthoughTheTaskIsHeld() {
    let released = Counter()
    let task = onLoopThread {
      let queue = RunLoop.current.taskQueue
      return queue.perform(coalescedBy: NumberedKey(1) { released.count() }) {}
    }
    waitUntil { released.value == 1 }
    #expect(task.state == .cancelled)
  }

  @Test func theKeyOfATaskCancelledByAnotherThreadIsReleasedOnTheLoopsThread() {
    let queue = RunLoop.current.taskQueue
    let releasing = Box<ThreadID?>(nil)
    let cancelled = Box<RunLoopTask?>(nil)
    elsewhere {
      func post() -> RunLoopTask { queue.perform(coalescedBy: NumberedKey(1) { releasing.value = .current }) {} }
      cancelled.value = post()
      cancelled.value?.cancel()
      #expect(releasing.value == nil)
    }
    RunLoop.current.runPass()
    let isOwnThread = releasing.value == .current
    #expect(isOwnThread)
  }

  /// The key of the latest start is the one that the loop remembers.
  @Test func aThrottledKeyMayScheduleWhenItsIntervalEnds() {
    let queue = RunLoop.current.taskQueue
    func start() {
      let key = NumberedKey(1) { queue.perform(coalescedBy: "other") { log("from the key") } }
      queue.perform(coalescedBy: key, atMostEvery: .seconds(5)) {}
    }
    start()
    RunLoop.current.runPass()
    queue.perform(coalescedBy: NumberedKey(1), atMostEvery: .milliseconds(1)) {}
    RunLoop.current.advance(by: .seconds(1))
    RunLoop.current.advance(by: .seconds(5))
    RunLoop.current.runUntilTasksFinish()
    #expect(log.events == ["from the key"])
  }
}
