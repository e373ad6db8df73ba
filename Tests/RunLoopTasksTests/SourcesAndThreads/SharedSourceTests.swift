import Foundation
import RunLoopTasks
import Testing

/// A `RunLoopSource` in several loops.
@Suite(.onOwnLoop) struct SharedSourceTests {
  /// Any of the loops may perform the source, one at a time.
  @Test func severalLoopsDeliverCommandsInOrder() {
    let loops = (1...3).map { _ in LoopThread(running: .default) }
    let (received, overlaps, performing) = (Box<[Int]>([]), Counter(), Box(false))
    let source = RunLoopSource<Int> { commands in
      if performing.value || commands.isEmpty { overlaps.count() }
      performing.value = true
      received.add(commands)
      performing.value = false
    }
    for loop in loops { loop.queue.addAndWait(source) }
    for number in 1...10_000 { source.send(number) }
    waitUntil { received.value.count == 10_000 }
    #expect(received.value == Array(1...10_000))
    #expect(overlaps.value == 0)
    for loop in loops { loop.end() }
  }

  @Test func theLoopThatRunsDeliversTheCommands() {
    let log = Log()
    let loops = ["one": LoopThread(), "other": LoopThread()]
    let source = RunLoopSource<Int> { log("\($0)") }
    for loop in loops.values { loop.perform { RunLoop.current.add(source, forMode: .default) } }
    for (number, name) in ["one", "other", "one", "other"].enumerated() {
      source.send(number)
      loops[name]!.perform {
        log(name)
        RunLoop.current.runPass()
      }
    }
    for loop in loops.values { loop.end() }
    #expect(log.events == ["one", "[0]", "other", "[1]", "one", "[2]", "other", "[3]"])
  }

  /// While one loop performs the source, the other loop leaves new commands to it, and sleeps. When the source is
  /// removed from the first loop, the other loop delivers them.
  @Test func anotherLoopDeliversWhatARemovedSourceLeaves() {
    let (busy, other) = (LoopThread(), LoopThread(running: .default))
    let (hasBegun, mayEnd, isDelivered) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource { commands in
      guard commands == [1] else {
        isDelivered.signal()
        return
      }
      hasBegun.signal()
      mayEnd.waitOrDie("the test to continue")
      RunLoop.current.remove(source.value!, forMode: .default)
    }
    busy.perform { RunLoop.current.add(source.value!, forMode: .default) }
    source.value!.send(1)
    Thread { busy.perform { RunLoop.current.runPass() } }.start()
    hasBegun.waitOrDie("the first command")
    let (passes, hasPassed) = (Counter(), DispatchSemaphore(value: 0))
    other.queue.perform {
      observe(.afterWaiting) { _ in passes.count() }
      RunLoop.current.add(source.value!, forMode: .default)
      source.value!.send(2)
    }
    other.queue.perform(when: .idle) { hasPassed.signal() }
    hasPassed.waitOrDie("a pass of the other loop")
    Thread.sleep(forTimeInterval: 0.01)  // A loop that does not sleep makes very many passes in this time.
    #expect(passes.value <= 20)
    mayEnd.signal()
    isDelivered.waitOrDie("the second command")
    source.value!.invalidate()
    source.value = nil
    for loop in [busy, other] { loop.end() }
  }

  /// A run nested in `perform` waits for the next command. The other loop must not take it.
  @Test func aCommandThatANestedRunWaitsForIsDeliveredThere() {
    for _ in 0..<20 {
      let loops = [LoopThread(running: .default), LoopThread(running: .default)]
      let (hasBegun, isDelivered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let source = RunLoopSource<Int> { commands in
        if commands == [1] {
          hasBegun.signal()
          run()
          isDelivered.signal()
        } else {
          stopRun()
        }
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
    let log = Log()
    let (own, other) = (LoopThread(), LoopThread())
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource { commands in
      log("\(commands)")
      guard commands == [1] else { return }
      source.value!.send(2)
      RunLoop.current.runPass()
      source.value!.send(3)
      JoinableThread { RunLoop.current.add(source.value!, forMode: .default) }.join()
      other.perform { RunLoop.current.runPass() }
      log("end of 1")
    }
    for loop in [own, other] { loop.perform { RunLoop.current.add(source.value!, forMode: .default) } }
    source.value!.send(1)
    own.perform { RunLoop.current.runPass() }
    other.perform { RunLoop.current.runPass() }
    source.value!.send(4)
    other.perform { RunLoop.current.runPass() }
    #expect(log.events == ["[1]", "[2]", "end of 1", "[3]", "[4]"])
    source.value!.invalidate()
    source.value = nil
    for loop in [own, other] { loop.end() }
  }
}
