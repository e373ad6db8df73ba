import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Testing

/// Tasks with a key that other threads schedule before the loop reads its messages: one task for each key is kept.
@Suite(.onOwnLoop) struct PostCoalescingTests {
  let loop = LoopThread()
  private let calls = Box<[Int]>([])
  /// One for each closure, which holds it.
  private let keys = Keys()

  /// A closure that logs its call.
  private func closure(_ number: Int) -> @Sendable () -> Void {
    let key = keys(number)
    return { [calls] in withExtendedLifetime(key) { calls.add([number]) } }
  }

  enum Scheduling: CaseIterable { case inOneCall, twoKeysInTurn, cancelledInTurn }

  /// The loop does not run meanwhile.
  @Test(arguments: Scheduling.allCases) func thousandsOfTasksWithOneKeyLeaveOneTask(_ scheduling: Scheduling) {
    let left = [Scheduling.inOneCall: 1, .twoKeysInTurn: 2][scheduling] ?? 0
    let rounds = 10_000
    for number in 1...rounds {
      loop.queue.perform(coalescedBy: "key", closure(number))
      switch scheduling {
      case .inOneCall: break
      case .twoKeysInTurn: loop.queue.perform(coalescedBy: "other", closure(number))
      case .cancelledInTurn: loop.queue.cancelTask(coalescedBy: "key")
      }
      if number % 2_000 == 1 { #expect(keys.held <= 2) }
    }
    #expect(loop.queue.count == left)
    #expect(keys.held == left)
    loop.perform { RunLoop.current.runUntilTasksFinish() }
    #expect(calls.value == Array(repeating: rounds, count: left))
    #expect(keys.held == 0 && loop.queue.count == 0)
  }

  @Test func aPostThatWasCancelledCancelsTheLoopsOwnTaskAllTheSame() {
    let (own, posted) = (closure(1), closure(2))
    loop.perform { RunLoop.current.perform(coalescedBy: "key", own) }
    loop.queue.perform(coalescedBy: "key", posted).cancel()
    loop.perform { RunLoop.current.runPass() }
    #expect(calls.value.isEmpty && loop.queue.count == 0)
  }

  /// The loop runs meanwhile. The latest task runs last, and no task runs twice.
  @Test func theLatestTaskRunsWhileTheLoopRuns() {
    let loop = LoopThread(running: .default)
    for number in 1...20_000 {
      loop.queue.perform(
        when: RunLoopTask.Timing.allCases[number % 3], coalescedBy: "key", closure(number))
    }
    waitUntil { calls.value.last == 20_000 }
    #expect(loop.queue.count == 0)
    #expect(zip(calls.value, calls.value.dropFirst()).allSatisfy { $0 < $1 })
    loop.end()
  }

  /// The canceller is another thread, or the loop's own, on which the task may be in the mailbox as well.
  @Test(arguments: [true, false]) func aTaskThatIsCancelledAndReplacedAtTheSameTimeIsReleasedOnce(onLoopThread: Bool) {
    let (latest, isOver) = (Box<RunLoopTask?>(nil), Box(false))
    let place = onLoopThread ? loop : LoopThread()
    let canceller = JoinableThread {
      place.perform {
        while !isOver.value {
          latest.value?.cancel()
          if onLoopThread { RunLoop.current.runPass() }
        }
      }
    }
    for number in 1...10_000 { latest.value = loop.queue.perform(coalescedBy: 1, closure(number)) }
    isOver.value = true
    canceller.join()
    latest.value = nil
    loop.perform { RunLoop.current.runUntilTasksFinish() }
    #expect(keys.held == 0)
  }

  /// The cancellation that the second task replaces holds the key.
  @Test func theReleaseOfAReplacedKeyMayPost() {
    let queue = loop.queue
    let key = { NumberedKey(1) { queue.perform(when: .idle) {} } }
    queue.perform(when: .idle, coalescedBy: key()) {}
    queue.cancelTask(coalescedBy: key())
    queue.perform(when: .idle, coalescedBy: key()) {}
    #expect(queue.count >= 1)
    queue.cancelAll()
    loop.perform { RunLoop.current.runPass() }
  }

  enum Cancelling: CaseIterable { case one, byKey, all }

  @Test(arguments: Cancelling.allCases) func aCancelledTaskLeavesNoLimit(_ cancelling: Cancelling) {
    let (queue, ran) = (loop.queue, Counter())
    loop.perform { queue.perform(when: .idle, after: .seconds(9_000), within: .seconds(1_000), coalescedBy: "k") {} }
    switch cancelling {
    case .one: queue.perform(coalescedBy: "k") {}.cancel()
    case .byKey: queue.cancelTask(coalescedBy: "k")
    case .all:
      queue.perform(within: .seconds(1_000), coalescedBy: "k") {}
      queue.cancelAll()
    }
    queue.perform(when: .idle, after: .seconds(5_000), coalescedBy: "k") { ran.count() }
    loop.perform { RunLoop.current.advance(by: .seconds(2_000)) }
    #expect(ran.value == 0)
  }
}
