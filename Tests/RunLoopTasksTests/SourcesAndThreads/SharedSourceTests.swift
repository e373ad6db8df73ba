import Foundation
import RunLoopTasks
import Testing

/// A `RunLoopSource` in several loops. Any of them may perform the source, one at a time.
@Suite(.onOwnLoop) struct SharedSourceTests {
  let log = Log()

  private typealias Command = (sender: Int, number: Int)

  /// The commands of each thread keep their order.
  @Test(arguments: [1, 3], [Int.max, 7])
  func loopsDeliverTheCommandsOfManyThreadsOnceAndInOrder(loops count: Int, batchLimit: Int) {
    let (senders, commandsEach) = (8, 2_000)
    let loops = (1...count).map { _ in LoopThread(running: .default) }
    let (received, mistakes, performing) = (Box<[Command]>([]), Counter(), Box(false))
    let source = RunLoopSource<Command>(batchLimit: batchLimit) { commands in
      if performing.value || commands.isEmpty || commands.count > batchLimit { mistakes.count() }
      performing.value = true
      received.add(commands)
      performing.value = false
    }
    for loop in loops { loop.queue.addAndWait(source) }
    for sender in 0..<senders {
      Thread { for number in 0..<commandsEach { source.send((sender, number)) } }.start()
    }
    waitUntil { received.value.count >= senders * commandsEach }
    for sender in 0..<senders {
      #expect(received.value.filter { $0.sender == sender }.map(\.number) == Array(0..<commandsEach))
    }
    #expect(mistakes.value == 0)
    for loop in loops { loop.end() }
  }

  /// While one loop performs the source, the other loop leaves new commands to it, and sleeps. When the source is
  /// removed from the first loop, the other loop delivers them.
  @Test func anotherLoopDeliversWhatARemovedSourceLeaves() {
    let (busy, other) = (LoopThread(), LoopThread(running: .default))
    let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isDelivered = DispatchSemaphore(value: 0)
    let source = makeSource { source, commands in
      guard commands == [1] else { return _ = isDelivered.signal() }
      hasBegun.signal()
      mayEnd.waitOrDie("the test to continue")
      RunLoop.current.remove(source, forMode: .default)
    }
    busy.perform { RunLoop.current.add(source, forMode: .default) }
    source.send(1)
    Thread { busy.perform { RunLoop.current.runPass() } }.start()
    hasBegun.waitOrDie("the first command")
    let (passes, hasPassed) = (Counter(), DispatchSemaphore(value: 0))
    other.queue.perform {
      observe(.afterWaiting) { _ in passes.count() }
      RunLoop.current.add(source, forMode: .default)
      source.send(2)
    }
    other.queue.perform(when: .idle) { hasPassed.signal() }
    hasPassed.waitOrDie("a pass of the other loop")
    Thread.sleep(forTimeInterval: 0.01)  // A loop that does not sleep makes very many passes in this time.
    #expect(passes.value <= 20)
    mayEnd.signal()
    isDelivered.waitOrDie("the second command")
    for loop in [busy, other] { loop.end() }
  }

  /// A run nested in `perform` waits for the next command. The other loop must not take it.
  @Test func aCommandThatANestedRunWaitsForIsDeliveredThere() {
    for _ in 0..<20 {
      let loops = [LoopThread(running: .default), LoopThread(running: .default)]
      let (hasBegun, isDelivered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let source = RunLoopSource<Int> { commands in
        guard commands == [1] else { return stopRun() }
        hasBegun.signal()
        run()
        isDelivered.signal()
      }
      for loop in loops { loop.queue.addAndWait(source) }
      source.send(1)
      hasBegun.waitOrDie("the first command")
      waitUntil { loops.allSatisfy(\.isSleeping) }
      source.send(2)
      isDelivered.waitOrDie("the second command")
      for loop in loops { loop.end() }
    }
  }

  /// The other loop waits until the batch is performed, also after a run nested in that batch.
  @Test func anotherLoopDeliversNothingDuringABatch() {
    let (own, other) = (LoopThread(), LoopThread())
    let source = makeSource { source, commands in
      log("\(commands)")
      guard commands == [1] else { return }
      source.send(2)
      RunLoop.current.runPass()
      source.send(3)
      JoinableThread { RunLoop.current.add(source, forMode: .default) }.join()
      other.perform { RunLoop.current.runPass() }
      log("end of 1")
    }
    for loop in [own, other] { loop.perform { RunLoop.current.add(source, forMode: .default) } }
    source.send(1)
    own.perform { RunLoop.current.runPass() }
    other.perform { RunLoop.current.runPass() }
    source.send(4)
    other.perform { RunLoop.current.runPass() }
    #expect(log.events == ["[1]", "[2]", "end of 1", "[3]", "[4]"])
    for loop in [own, other] { loop.end() }
  }
}
