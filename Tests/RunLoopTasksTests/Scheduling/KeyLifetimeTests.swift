import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Testing

/// The release of a coalescing key may schedule and cancel tasks and run the loop.
@Suite(.onOwnLoop) struct KeyLifetimeTests {
  let log = Log()
  let queue = RunLoop.current.taskQueue

  @Test func theReleaseOfAKeyMayScheduleWithAnEqualKey() {
    queue.perform(
      coalescedBy: NumberedKey(1) { queue.perform(coalescedBy: NumberedKey(1)) { log("from the key") } }
    ) {}
    queue.perform(coalescedBy: NumberedKey(1)) { log("second") }
    #expect(queue.count == 1)
    RunLoop.current.runUntilTasksFinish()
    #expect(log.events == ["from the key"])
  }

  private final class ChangingKey: Hashable {
    var hash = 1
    static func == (one: ChangingKey, other: ChangingKey) -> Bool { one === other }
    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
  }

  @Test func aKeyWhoseHashHasChangedIsForgottenAllTheSame() {
    let key = ChangingKey()
    RunLoop.current.perform(coalescedBy: key) { log("first") }
    key.hash = 2
    RunLoop.current.runUntilTasksFinish()
    key.hash = 1
    RunLoop.current.perform(coalescedBy: key) { log("second") }
    RunLoop.current.runUntilTasksFinish()
    #expect(log.events == ["first", "second"])
  }

  /// It is cancelled in the interval of an equal key.
  @Test func theReleaseOfACancelledKeyMaySchedule() {
    queue.perform(coalescedBy: NumberedKey(1), atMostEvery: .seconds(3_000)) {}
    RunLoop.current.runPass()
    queue.perform(coalescedBy: NumberedKey(1) { queue.perform(coalescedBy: 2) { log("from the key") } }) {}.cancel()
    queue.perform(coalescedBy: NumberedKey(1)) { log("next") }
    RunLoop.current.runUntilTasksFinish()
    #expect(log.events == ["from the key", "next"])
  }

  /// The loop takes one of two keys that have become equal for the other. The address sanitizer sees what it leaves.
  @Test func aKeyThatHasChangedLeavesNoTaskBehind() {
    final class Key: Hashable {
      var number: Int
      init(_ number: Int) { self.number = number }
      static func == (one: Key, other: Key) -> Bool { one.number == other.number }
      func hash(into hasher: inout Hasher) {}
    }
    for attempt in 1...20 {
      let changing = Key(2)
      RunLoop.current.perform(forModes: [.custom], coalescedBy: Key(1)) {}
      RunLoop.current.perform(when: .currentLoopEnded, coalescedBy: changing) { log("\(attempt)") }
      changing.number = 1
      RunLoop.current.runPass()
      RunLoop.current.perform(coalescedBy: Key(1)) {}
      RunLoop.current.runUntilTasksFinish()
      queue.cancelAll()
    }
    #expect(log.events.count == 20)
  }

  @Test func aKeyThatIsChangedIsReleasedAndItsReleaseMaySchedule() {
    queue.perform(coalescedBy: NumberedKey(1) { queue.perform { log("from the key") } }) { log("task") }
      .coalesced(by: NumberedKey(2))
    RunLoop.current.runUntilTasksFinish()
    #expect(log.events.sorted() == ["from the key", "task"])
  }

  /// The loop reads the message that schedules the task, and then that of `cancelAll()`.
  @Test(arguments: [Order.app, Order.frame])
  func theReleaseOfAKeyInAMessageMayRunTheLoop(order: Int) {
    observeOnce(.beforeWaiting, order: order) {
      elsewhere {
        queue.perform(coalescedBy: keyThatRunsTheLoop()) {}
        queue.cancelAll()
        queue.perform { log("outer") }
      }
    }
    RunLoop.current.perform {}.when(.idle)
    run()
    #expect(Set(log.events) == ["nested", "outer"])
  }

  private func keyThatRunsTheLoop() -> NumberedKey {
    NumberedKey(1) {
      queue.perform(when: .currentLoopEnded) { log("nested") }
      run()
    }
  }

  @Test func theKeyOfATaskThatAnotherThreadCancelsIsReleasedOnTheLoopsThreadAlthoughTheTaskIsHeld() {
    let own = ThreadID.current
    let held = onLoopThread {
      let key = NumberedKey(1) {
        log("released on the loop's thread: \(ThreadID.current == own)")
        queue.perform {}
      }
      let held = queue.perform(coalescedBy: key) {}
      held.cancel()
      log("cancelled")
      return held
    }
    RunLoop.current.runPass()
    #expect(log.events == ["cancelled", "released on the loop's thread: true"])
    #expect(held.state == .cancelled)
  }

  /// The key of the latest start is the one that the loop remembers.
  @Test func aThrottledKeyMayScheduleWhenItsIntervalEnds() {
    queue.perform(
      coalescedBy: NumberedKey(1) { queue.perform(coalescedBy: "other") { log("from the key") } },
      atMostEvery: .seconds(5)
    ) {}
    RunLoop.current.runPass()
    queue.perform(coalescedBy: NumberedKey(1), atMostEvery: .milliseconds(1)) {}
    RunLoop.current.advance(by: .seconds(1))
    RunLoop.current.advance(by: .seconds(5))
    RunLoop.current.runUntilTasksFinish()
    #expect(log.events == ["from the key"])
  }
}
