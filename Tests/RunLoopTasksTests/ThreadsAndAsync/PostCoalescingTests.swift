import Foundation
import RunLoopTasks
import Testing

/// Tasks with a key that other threads schedule before the loop reads its messages: one task for each key is kept.
@Suite(.onOwnLoop) struct MailboxTests {
  let loop = LoopThread()
  private let closures = Closures()

  enum Scheduling: CaseIterable { case inOneCall, chained, twoKeysInTurn }

  /// The loop does not run meanwhile.
  @Test(arguments: Scheduling.allCases) func thousandsOfTasksWithOneKeyLeaveOneTask(_ scheduling: Scheduling) {
    let keys = scheduling == .twoKeysInTurn ? 2 : 1
    let rounds = 20_000 / keys
    for number in 1...rounds {
      switch scheduling {
      case .inOneCall: loop.queue.perform(coalescedBy: "key", closures(number))
      case .chained: loop.queue.perform(closures(number)).coalesced(by: "key")
      case .twoKeysInTurn:
        loop.queue.perform(coalescedBy: "key", closures(number))
        loop.queue.perform(coalescedBy: "other", closures(number))
      }
      if number % 2_000 == 1 { #expect(closures.held <= 2) }
    }
    #expect(loop.queue.count == keys)
    #expect(closures.held == keys)
    loop.perform { RunLoop.current.runUntilTasksFinish() }
    #expect(closures.calls.value == Array(repeating: rounds, count: keys))
    #expect(closures.held == 0 && loop.queue.count == 0)
  }

  @Test func cancelledTasksWithOneKeyLeaveNothing() {
    for number in 1...10_000 {
      loop.queue.perform(coalescedBy: "key", closures(number))
      loop.queue.cancelTask(coalescedBy: "key")
    }
    #expect(loop.queue.count == 0)
    loop.perform { RunLoop.current.runPass() }
    #expect(closures.held == 0)
  }

  /// The loop runs meanwhile. The latest task runs last, and no task runs twice.
  @Test func theLatestTaskRunsWhileTheLoopRuns() {
    let loop = LoopThread(running: .default)
    for number in 1...20_000 {
      loop.queue.perform(
        when: RunLoopTask.Timing.allCases[number % 3], coalescedBy: "key", closures(number))
    }
    waitUntil { closures.calls.value.last == 20_000 }
    #expect(loop.queue.count == 0)
    #expect(zip(closures.calls.value, closures.calls.value.dropFirst()).allSatisfy { $0 < $1 })
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
    for number in 1...10_000 { latest.value = loop.queue.perform(coalescedBy: 1, closures(number)) }
    isOver.value = true
    canceller.join()
    latest.value = nil
    loop.perform { RunLoop.current.runUntilTasksFinish() }
    #expect(closures.held == 0)
  }
}

/// Makes closures that log their calls, and counts those that are not released.
private struct Closures: Sendable {
  let calls = Box<[Int]>([])
  private let made = Counter()
  private let released = Counter()

  var held: Int { made.value - released.value }

  func callAsFunction(_ number: Int) -> @Sendable () -> Void {
    made.count()
    let token = Token { [released] in released.count() }
    return { [calls] in
      token.use()
      calls.add([number])
    }
  }
}
