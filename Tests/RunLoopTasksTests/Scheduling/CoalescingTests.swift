import Foundation
import RunLoopTasks
import Testing

/// Coalescing with `coalesced(by:)` on the loop's own thread.
@Suite(.onOwnLoop) struct CoalescingTests {
  let log = Log()
  let keys = Keys()

  @Test func onlyTheLatestTaskRunsAndTheOthersAreReleasedAtOnce() {
    let tasks = (1...2).map { number in
      RunLoop.current.perform(
        when: .currentLoopEnded, coalescedBy: "key", closure(whenReleased: { log("released \(number)") }))
    }
    RunLoop.current.perform { log("between") }.when(.currentLoopEnded)
    RunLoop.current.perform { log("latest") }.when(.currentLoopEnded).coalesced(by: "key")
    run()
    #expect(log.events == ["released 1", "released 2", "between", "latest"] && tasks[0].state == .cancelled)
  }

  /// Numbers of different types are not equal, as in a dictionary whose keys have one type.
  @Test func tasksWithDifferentKeysAllRun() {
    let keys: [any Hashable & Sendable] = [1, 2, "1", 1.0, UInt8(1), [1], ObjectIdentifier(Self.self)]
    for (number, key) in keys.enumerated() {
      RunLoop.current.perform { log("\(number)") }.when(.currentLoopEnded).coalesced(by: key)
    }
    run()
    #expect(log.events == keys.indices.map { "\($0)" })
  }

  /// In a chain and in a call, on the loop's own thread and elsewhere, however often it is wrapped.
  @Test func anOptionalWithoutAValueIsNoKey() {
    let (loop, queue, none) = (RunLoop.current, RunLoop.current.taskQueue, String?.none)
    for number in 1...2 {
      loop.perform { log("chain \(number)") }.when(.idle).coalesced(by: none)
      loop.perform { log("wrapped \(number)") }.when(.idle).coalesced(by: String??.some(none))
      loop.perform(when: .idle, coalescedBy: none) { log("call \(number)") }
      loop.perform(when: .idle, coalescedBy: AnyHashable(none)) { log("any \(number)") }
      queue.perform(when: .idle, coalescedBy: none) { log("queue \(number)") }
      loop.perform { log("named \(number)") }.when(.idle).coalesced(by: "key \(number)").coalesced(by: none)
    }
    #expect(!loop.runTask(coalescedBy: none))
    queue.cancelTask(coalescedBy: none)
    #expect(loop.runTask(coalescedBy: "key 2"))
    loop.runPass()
    let all = (1...2).flatMap { number in
      ["chain", "wrapped", "call", "any", "queue", "named"].map { "\($0) \(number)" }
    }
    #expect(log.events == ["named 2"] + all.dropLast())
  }

  private class Base: Hashable, @unchecked Sendable {  // Unchecked, because it is not final.
    static func == (one: Base, other: Base) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }
  private final class First: Base, @unchecked Sendable {}
  private final class Second: Base, @unchecked Sendable {}

  /// `any Hashable` remembers the class that the compiler knew.
  @Test func objectsThatAreEqualAreOneKeyWhateverTheirClasses() {
    RunLoop.current.perform { log("base") }.when(.currentLoopEnded).coalesced(by: First() as Base)
    RunLoop.current.perform { log("first") }.when(.currentLoopEnded).coalesced(by: First())
    RunLoop.current.perform { log("second") }.when(.currentLoopEnded).coalesced(by: Second())
    RunLoop.current.perform { log("number") }.when(.currentLoopEnded).coalesced(by: 1)
    run()
    #expect(log.events == ["second", "number"])
  }

  @Test func aSecondCallChangesTheKey() {
    RunLoop.current.perform { log("first") }.when(.currentLoopEnded).coalesced(by: keys(1)).coalesced(by: keys(2))
    RunLoop.current.perform { log("one") }.when(.currentLoopEnded).coalesced(by: keys(1))
    RunLoop.current.perform { log("two") }.when(.currentLoopEnded).coalesced(by: keys(2))
    RunLoop.current.perform { log("same") }.when(.currentLoopEnded).coalesced(by: keys(3)).coalesced(by: keys(3))
    run()
    #expect(keys.held == 0)
    #expect(log.events == ["one", "two", "same"])
  }
}
