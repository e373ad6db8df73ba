import Foundation
import RunLoopTasks
import Testing

/// What the sources of a thread have accepted before `stop` is delivered.
@Suite(.onOwnLoop) struct SourceDrainTests {
  private let thread = RunLoopThread(name: "worker")
  private let log = Log()
  private var queue: RunLoopTaskQueue { thread.taskQueue }

  /// Stops a thread, and calls `body` on it in the last round of the drain, before the sources deliver.
  private func inSecondRound(of thread: RunLoopThread, _ body: @escaping @Sendable () -> Void) {
    thread.stop { [queue = thread.taskQueue] in queue.perform { queue.perform(body) } }
  }

  @Test func allCommandsAreDeliveredInTheirOrder() {
    let source = RunLoopSource<Int>(batchLimit: 10) { commands in for command in commands { log("\(command)") } }
    thread.stopAndJoin {
      queue.perform { RunLoop.current.add(source, forMode: .common) }
      for command in 0..<100 { source.send(command) }
    }
    #expect(log.events == (0..<100).map(String.init))
  }

  /// They are added and signalled in another order.
  @Test func sourcesAreDrainedByTheirOrder() {
    let sources = [3, 1, 5, 2, 4].map { order in RunLoopSource<Int>(order: order) { log("\(order): \($0)") } }
    for source in sources { thread.taskQueue.addAndWait(source) }
    thread.stop { for source in sources { source.send(7) } }
    join(thread)
    #expect(log.events == (1...5).map { "\($0): [7]" })
  }

  /// The tasks of a round run before its commands are delivered.
  @Test func tasksAndCommandsThatTheDrainSendsHaveOneMoreRound() {
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource { commands in
      log("commands \(commands)")
      RunLoop.current.perform { log("task of a command") }.when(.idle)
      source.value?.send(commands[0] + 1)
    }
    thread.taskQueue.addAndWait(source.value!)
    thread.stop { source.value?.send(1) }
    join(thread)
    #expect(log.events == ["commands [1]", "task of a command", "commands [2]"])
    #expect(source.value?.isValid == false)
  }

  @Test func aSourceInOtherModesEndsWithoutADelivery() {
    let source = loggedSource(log)
    thread.taskQueue.addAndWait(source, forModes: [.custom])
    thread.stopAndJoin { source.send(1) }
    #expect(!source.isValid)
    #expect(log.events == ["scheduled in custom", "cancelled in custom"])
  }

  /// It delivers what it has accepted before, in the sizes that its limit allows.
  @Test func aSourceAcceptsNothingOnceItsLastBatchIsTaken() {
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource(batchLimit: 2, onCancel: { _ in log("cancelled") }) {
      [token = Token { log("released") }] in
      log("\($0): \(source.value!.isValid), \(source.value!.send(9))")
      token.use()
      RunLoop.current.add(source.value!, forMode: .custom)
      RunLoop.current.remove(source.value!, forMode: .default)
    }
    inSecondRound(of: thread) {
      RunLoop.current.add(source.value!, forMode: .default)
      for command in 1...3 { source.value!.send(command) }
    }
    join(thread)
    #expect(log.events == ["[1, 2]: false, false", "cancelled", "[3]: false, false", "released"])
  }

  @Test func invalidatingDropsTheRestOfTheLastBatch() {
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource(batchLimit: 1, onCancel: { _ in log("cancelled") }) { commands in
      log("\(commands)")
      if commands == [2] { source.value!.invalidate() }
    }
    thread.taskQueue.addAndWait(source.value!)
    inSecondRound(of: thread) { for command in 1...3 { source.value!.send(command) } }
    join(thread)
    #expect(log.events == ["[1]", "[2]", "cancelled"])
  }

  @Test(arguments: [true, false]) func aSourceThatIsTakenAwayInTheDrainDeliversNoMore(byInvalidation: Bool) {
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource(batchLimit: 1) { commands in
      log("\(commands)")
      if byInvalidation {
        source.value?.invalidate()
      } else {
        RunLoop.current.remove(source.value!, forMode: .default)
      }
    }
    thread.stopAndJoin {
      queue.perform { RunLoop.current.add(source.value!, forMode: .default) }
      for command in 1...3 { source.value?.send(command) }
    }
    #expect(log.events == ["[1]"])
    #expect(source.value?.isValid == !byInvalidation)
  }

  // MARK: Two threads

  /// The first one of the round takes the second one away.
  @Test func aSourceThatMovesToAnotherLoopInTheDrainDeliversThere() {
    let other = LoopThread()
    let moved = RunLoopSource<Int>(order: 1) { log("\($0) there: \(ThreadID.current == other.id)") }
    let first = RunLoopSource<Int> { _ in
      moved.send(1)
      RunLoop.current.remove(moved, forMode: .default)
      other.perform { RunLoop.current.add(moved, forMode: .default) }
    }
    for source in [first, moved] { thread.taskQueue.addAndWait(source) }
    thread.stop { first.send(1) }
    join(thread)
    #expect(moved.isValid)
    other.perform { RunLoop.current.runPass() }
    other.end()
    #expect(log.events == ["[1] there: true"])
  }

  /// The other thread delivers the source's last batch meanwhile.
  @Test func aDrainLeavesTheEndOfAnotherThreadsSourceAlone() {
    let other = RunLoopThread(name: "other")
    let (isInLastBatch, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let moved = RunLoopSource<Int>(order: 1) {
      log("\($0)")
      isInLastBatch.signal()
      mayEnd.waitOrDie("the end of the first thread")
    }
    let first = RunLoopSource<Int> { _ in
      RunLoop.current.remove(moved, forMode: .default)
      other.taskQueue.addAndWait(moved)
      inSecondRound(of: other) { moved.send(1) }
      isInLastBatch.waitOrDie("the last batch")
    }
    for source in [first, moved] { thread.taskQueue.addAndWait(source) }
    thread.stop { first.send(1) }
    join(thread)
    #expect(!moved.isValid)
    #expect(!moved.send(2))
    mayEnd.signal()
    join(other)
    #expect(log.events == ["[1]"])
  }
}
