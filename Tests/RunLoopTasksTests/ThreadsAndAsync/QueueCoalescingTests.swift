import Foundation
import RunLoopTasks
import Testing

/// Tasks of a queue and of other threads coalesce. The model has most of what may come in between.
@Suite(.onOwnLoop) struct QueueCoalescingTests {
  let log = Log()
  let keys = Keys()
  let queue = RunLoop.current.taskQueue

  // MARK: Unusual keys

  @Test(arguments: [true, false]) func aKeyThatEqualsNoneIsReleasedAndTakesTheOldKeyAway(onOwnThread: Bool) {
    struct Unequal: Hashable, Sendable {
      let key: NumberedKey
      static func == (one: Unequal, other: Unequal) -> Bool { false }
    }
    let unequal = { @Sendable in Unequal(key: keys(0)) }
    queue.perform(when: .currentLoopEnded, coalescedBy: "k") { log("1") }.coalesced(by: unequal())
    call(onOwnThread: onOwnThread) {
      queue.perform(when: .currentLoopEnded, coalescedBy: "k") { log("2") }
      for number in 3...4 { queue.perform(when: .currentLoopEnded, coalescedBy: unequal()) { log("\(number)") } }
    }
    run()
    #expect(keys.held == 0)
    #expect(log.events == ["1", "2", "3", "4"])
  }

  @Test func aTaskWhoseKeyIsTakenAwayNoLongerWaitsForTheInterval() {
    queue.perform(coalescedBy: "k", atMostEvery: .seconds(1_000)) { log("1") }
    RunLoop.current.runPass()
    queue.perform(coalescedBy: "k", atMostEvery: .seconds(1_000)) { log("2") }.coalesced(by: Double.nan)
    RunLoop.current.runPass()
    #expect(log.events == ["1", "2"])
  }

  /// `perform(coalescedBy:)` takes an optional key, and the compiler removes the optional.
  @Test(arguments: [5, "save", StructKey(value: 5)] as [any Hashable & Sendable])
  func anOptionalKeyEqualsItsValueInEachForm(key: any Hashable & Sendable) {
    func check<Key: Hashable & Sendable>(_ key: Key) {
      let optional: Key?? = key
      let task = queue.perform(coalescedBy: key) {}
      let next = queue.perform {}.coalesced(by: optional)
      #expect(task.state == .cancelled && next.state == .pending)
      queue.cancelTask(coalescedBy: Optional(key))
      #expect(next.state == .cancelled)
      let last = RunLoop.current.perform(when: .idle, coalescedBy: key) {}
      #expect(RunLoop.current.runTask(coalescedBy: optional) && last.state == .finished)
      let erased = RunLoop.current.perform(when: .idle, coalescedBy: AnyHashable(optional)) {}
      queue.cancelTask(coalescedBy: key)
      #expect(erased.state == .cancelled)
    }
    check(key)
  }

  private struct StructKey: Hashable { let value: Int }
}
