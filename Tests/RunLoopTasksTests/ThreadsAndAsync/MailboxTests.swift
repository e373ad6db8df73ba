import Foundation
import Testing

@testable import RunLoopTasks

/// Tasks with a key that other threads schedule before the loop reads its messages: one task for each key is kept.
@Suite(.onOwnLoop) struct MailboxTests {
  let log = Log()

  enum Scheduling: CaseIterable { case inOneCall, chained, twoKeysInTurn }

  /// The loop does not run meanwhile.
  @Test(arguments: Scheduling.allCases) func aHundredThousandTasksWithOneKeyLeaveOneTask(_ scheduling: Scheduling) {
    let rounds = scheduling == .twoKeysInTurn ? 50_000 : 100_000
    let loop = LoopThread()
    let (made, released, calls) = (Counter(), Counter(), Box<[Int]>([]))
    for number in 1...rounds {
      @Sendable func closure() -> @Sendable () -> Void {
        made.count()
        let token = Token { released.count() }
        return {
          token.use()
          calls.add([number])
        }
      }
      switch scheduling {
      case .inOneCall: loop.queue.perform(coalescedBy: "key", closure())
      case .chained: loop.queue.perform(closure()).coalesced(by: "key")
      case .twoKeysInTurn:
        loop.queue.perform(coalescedBy: "key", closure())
        loop.queue.perform(coalescedBy: "other", closure())
      }
      if number % 10_000 == 1 { #expect(made.value - released.value <= 2) }
    }
    let keys = scheduling == .twoKeysInTurn ? 2 : 1
    #expect(loop.queue.count == keys)
    #expect(made.value - released.value == keys)
    #expect(unreadMessages(of: loop.queue) <= 2 * keys)
    loop.perform { RunLoop.current.runUntilTasksFinish() }
    #expect(calls.value == Array(repeating: rounds, count: keys))
    #expect(made.value == released.value && loop.queue.count == 0)
    loop.end()
  }

  @Test func cancelledTasksWithOneKeyLeaveNothing() {
    let loop = LoopThread()
    let released = Counter()
    for _ in 1...10_000 {
      let token = Token { released.count() }
      loop.queue.perform(coalescedBy: "key") { token.use() }
      loop.queue.cancelTask(coalescedBy: "key")
    }
    #expect(loop.queue.count == 0)
    #expect(unreadMessages(of: loop.queue) <= 100)
    loop.perform { RunLoop.current.runPass() }
    #expect(released.value == 10_000)
    loop.end()
  }

  @Test func tasksOfEightThreadsWithOneKeyLeaveOneTask() {
    let loop = LoopThread()
    let (made, released, calls, done) = (Counter(), Counter(), Counter(), DispatchSemaphore(value: 0))
    for _ in 1...8 {
      Thread {
        for _ in 1...10_000 {
          made.count()
          let token = Token { released.count() }
          loop.queue.perform(coalescedBy: "key") {
            token.use()
            calls.count()
          }
        }
        done.signal()
      }.start()
    }
    for _ in 1...8 { done.waitOrDie("a posting thread") }
    #expect(loop.queue.count == 1)
    waitUntil { made.value - released.value == 1 }
    loop.perform { RunLoop.current.runUntilTasksFinish() }
    #expect(calls.value == 1 && made.value == released.value)
    loop.end()
  }

  /// The loop runs meanwhile. The latest task runs last, and no task runs twice.
  @Test func theLatestTaskRunsWhileTheLoopRuns() {
    let loop = LoopThread(running: .default)
    let (latest, calls) = (Box(0), Box<[Int]>([]))
    for number in 1...50_000 {
      loop.queue.perform(when: RunLoopTask.Timing.allCases[number % 3], coalescedBy: "key") {
        latest.value = number
        if number % 100 == 0 { calls.add([number]) }
      }
    }
    waitUntil { latest.value == 50_000 }
    #expect(loop.queue.count == 0)
    #expect(calls.value == calls.value.sorted() && Set(calls.value).count == calls.value.count)
    loop.end()
  }

  /// The latest task takes the place of the first, but keeps its own timing, order and modes.
  @Test func theLatestTaskTakesThePlaceOfTheFirst() {
    let queue = RunLoop.current.taskQueue
    elsewhere {
      queue.perform(when: .currentLoopEnded) { log("1") }
      queue.perform(when: .idle, order: 9, forModes: [.custom], coalescedBy: 1) { log("old") }
      queue.perform(when: .currentLoopEnded) { log("3") }
      queue.perform(when: .currentLoopEnded, coalescedBy: 1) { log("2") }
    }
    RunLoop.current.runPass()
    #expect(log.events == ["1", "2", "3"])
  }

  /// Such a key does not even equal itself.
  @Test func aKeyThatIsNotANumberCoalescesNothing() {
    let queue = RunLoop.current.taskQueue
    elsewhere { for _ in 1...3 { queue.perform(coalescedBy: Double.nan) {} } }
    for _ in 1...3 { queue.perform(coalescedBy: Double.nan) {} }
    #expect(queue.count == 6)
    RunLoop.current.runUntilTasksFinish()
    #expect(queue.count == 0)
  }
}

/// The number of messages that the loop's thread has not read.
private func unreadMessages(of queue: RunLoopTaskQueue) -> Int {
  let mailbox = queue.scheduler.attachment.withLock { $0.mailbox }
  let messages = Mirror(reflecting: mailbox).children.first { $0.label == "messages" }
  return messages.map { Mirror(reflecting: $0.value).children.count } ?? .max
}
