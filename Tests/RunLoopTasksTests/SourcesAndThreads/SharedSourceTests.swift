import Foundation
import RunLoopTasks
import Testing

/// A `RunLoopSource` in several loops. Any of them may perform the source, one at a time.
@Suite(.onOwnLoop) struct SharedSourceTests {
  let log = Log()

  @Test(arguments: [Int.max, 7]) func severalLoopsDeliverCommandsOneAfterAnotherInOrder(batchLimit: Int) {
    let loops = (1...3).map { _ in LoopThread(running: .default) }
    let (received, mistakes, performing) = (Box<[Int]>([]), Counter(), Box(false))
    let source = RunLoopSource<Int>(batchLimit: batchLimit) { commands in
      if performing.value || commands.isEmpty || commands.count > batchLimit { mistakes.count() }
      performing.value = true
      received.add(commands)
      performing.value = false
    }
    for loop in loops { loop.queue.addAndWait(source) }
    for number in 1...10_000 { source.send(number) }
    waitUntil { received.value.count == 10_000 }
    #expect(received.value == Array(1...10_000))
    #expect(mistakes.value == 0)
    for loop in loops { loop.end() }
  }

  @Test func theLoopThatRunsDeliversTheCommands() {
    let loops = [LoopThread(), LoopThread()]
    let source = RunLoopSource<Int> { log("\($0)") }
    for loop in loops { loop.perform { RunLoop.current.add(source, forMode: .default) } }
    for number in 0..<4 {
      source.send(number)
      loops[number % 2].perform {
        log("loop \(number % 2)")
        RunLoop.current.runPass()
      }
    }
    for loop in loops { loop.end() }
    #expect(log.events == ["loop 0", "[0]", "loop 1", "[1]", "loop 0", "[2]", "loop 1", "[3]"])
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
