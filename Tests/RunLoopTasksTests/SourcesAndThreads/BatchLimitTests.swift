import Foundation
import RunLoopTasks
import Testing

/// The `batchLimit` of a `RunLoopSource`.
@Suite(.onOwnLoop) struct BatchLimitTests {
  let log = Log()

  @Test(arguments: [1, 2, 3, 9, 10, 11, .max]) func noBatchExceedsTheLimit(limit: Int) {
    let batches = Box<[[Int]]>([])
    let source = RunLoopSource<Int>(batchLimit: limit) { batches.add([$0]) }
    RunLoop.current.add(source, forMode: .default)
    for command in 1...10 { source.send(command) }
    RunLoop.current.runUntil(timeout: nil) { batches.value.joined().count == 10 }
    source.invalidate()
    #expect(batches.value.joined().elementsEqual(1...10))
    #expect(batches.value.count == (10 + min(limit, 10) - 1) / min(limit, 10))
    #expect(batches.value.dropLast().allSatisfy { $0.count == limit })
  }

  /// Each turn of the loop begins with `beforeTimers`.
  @Test func eachTurnDeliversOneBatch() {
    let source = RunLoopSource<Int>(batchLimit: 2) { batch in
      log("\(batch)")
      if batch.contains(6) { stopRun() }
    }
    RunLoop.current.add(source, forMode: .default)
    observe(.beforeTimers) { _ in log("turn") }
    for command in 1...6 { source.send(command) }
    run()
    source.invalidate()
    #expect(log.events.prefix { $0 != "[5, 6]" } == ["turn", "[1, 2]", "turn", "[3, 4]", "turn"])
  }

  /// The loop does not sleep on the remaining commands, although nothing else wakes it.
  @Test(arguments: [RunLoop.Mode.default, .common, .custom]) func theNextTurnDeliversTheRemainingCommands(
    mode: RunLoop.Mode
  ) {
    let batches = Box<[[Int]]>([])
    let source = RunLoopSource<Int>(batchLimit: 1) { batch in
      batches.add([batch])
      if batch == [100] { stopRun() }
    }
    RunLoop.current.add(source, forMode: mode)
    elsewhere { for command in 1...100 { source.send(command) } }
    run(mode == .common ? .default : mode)
    source.invalidate()
    #expect(batches.value == (1...100).map { [$0] })
  }

  /// The timer is always due, and the other source is always signalled.
  @Test func theLoopServesTimersAndOtherSourcesBetweenBatches() {
    let timer = Timer(fire: Date(), interval: 0.0001, repeats: true) { _ in log("timer") }
    RunLoop.current.add(timer, forMode: .default)
    var other: Source?
    other = Source {
      log("other")
      other?.signal()
    }
    other?.signal()
    let source = RunLoopSource<Int>(batchLimit: 1) { batch in
      log("batch")
      Thread.sleep(forTimeInterval: 0.0002)
      if batch == [100] { stopRun() }
    }
    RunLoop.current.add(source, forMode: .default)
    for command in 1...100 { source.send(command) }
    run()
    timer.invalidate()
    source.invalidate()
    other = nil
    let between = log.events.split(separator: "batch", omittingEmptySubsequences: false).dropFirst().dropLast()
    #expect(between.count == 99)
    #expect(between.allSatisfy { $0.contains("other") })
    #if canImport(Darwin)
      #expect(between.filter { !$0.contains("timer") }.count <= 50)  // Its message may arrive a turn late.
    #else
      #expect(between.allSatisfy { $0.contains("timer") })
    #endif
  }

  @Test func commandsSentDuringABatchComeAfterEarlierOnes() {
    let commands = Box<[Int]>([])
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource(batchLimit: 2) { batch in
      commands.add(batch)
      if batch.contains(1) { for command in 6...9 { source.value!.send(command) } }
    }
    RunLoop.current.add(source.value!, forMode: .default)
    for command in 1...5 { source.value!.send(command) }
    RunLoop.current.runUntil(timeout: nil) { commands.value.count == 9 }
    source.value!.invalidate()
    source.value = nil
    #expect(commands.value == Array(1...9))
  }

  @Test func aRunNestedInABatchDeliversTheNextBatch() {
    let source = RunLoopSource<Int>(batchLimit: 2) { batch in
      log("\(batch) {")
      if batch == [1, 2] { RunLoop.current.runUntil(timeout: nil) { log.events.contains("}") } }
      log("}")
    }
    RunLoop.current.add(source, forMode: .default)
    for command in 1...5 { source.send(command) }
    RunLoop.current.runUntil(timeout: nil) { log.events.filter { $0 == "}" }.count == 3 }
    source.invalidate()
    #expect(log.events.filter { $0 != "}" } == ["[1, 2] {", "[3, 4] {", "[5] {"])
    #expect(log.events.prefix(3) == ["[1, 2] {", "[3, 4] {", "}"])
  }

  @Test func aSourceInvalidatedInABatchDeliversNoFurtherBatch() {
    let batches = Box<[[Int]]>([])
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource(batchLimit: 1) { batch in
      batches.add([batch])
      source.value!.invalidate()
    }
    RunLoop.current.add(source.value!, forMode: .default)
    for command in 1...3 { source.value!.send(command) }
    for _ in 1...5 { RunLoop.current.runPass() }
    source.value = nil
    #expect(batches.value == [[1]])
  }

  /// The commands are large, so that a move of all that wait would take most of the time.
  @Test func aCommandCostsTheSameHoweverManyWait() {
    func timePerCommand(_ count: Int) -> Double {
      onLoopThread {
        let delivered = Counter()
        let source = RunLoopSource<LargeCommand>(batchLimit: 1) { _ in if delivered.count() == count { stopRun() } }
        RunLoop.current.add(source, forMode: .default)
        for _ in 1...count { source.send(LargeCommand()) }
        let start = threadTime()
        run()
        source.invalidate()
        return (threadTime() - start) / Double(count)
      }
    }
    #expect(timePerCommand(20_000) < 10 * timePerCommand(200))
  }

  @Test func theLimitHoldsInSeveralLoops() {
    let loops = [LoopThread(running: .default), LoopThread(running: .default)]
    let commands = Box<[Int]>([])
    let largest = Box(0)
    let source = RunLoopSource<Int>(batchLimit: 7) { batch in
      commands.add(batch)
      if batch.count > 7 { largest.value = batch.count }
    }
    for loop in loops { loop.queue.addAndWait(source) }
    for command in 1...10_000 { source.send(command) }
    waitUntil { commands.value.count == 10_000 }
    #expect(commands.value == Array(1...10_000))
    #expect(largest.value == 0)
    source.invalidate()
    loops.forEach { $0.end() }
  }
}

private struct LargeCommand {
  typealias Part = (Int, Int, Int, Int, Int, Int, Int, Int)
  static let part: Part = (0, 1, 2, 3, 4, 5, 6, 7)
  let parts = (part, part, part, part, part, part, part, part)
}

/// The seconds for which the current thread has run on a processor.
private func threadTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
