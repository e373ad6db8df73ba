import Foundation
import RunLoopTasks
import Testing

/// The `batchLimit` of a `RunLoopSource`.
@Suite(.onOwnLoop) struct BatchLimitTests {
  let log = Log()

  @Test(arguments: [
    (1, ["[1]", "[2]", "[3]", "[4]"]), (2, ["[1, 2]", "[3, 4]"]), (3, ["[1, 2, 3]", "[4]"]), (4, ["[1, 2, 3, 4]"]),
    (5, ["[1, 2, 3, 4]"]), (.max, ["[1, 2, 3, 4]"]),
  ])
  func commandsAreDeliveredOnceInOrderInBatchesWithinTheLimit(limit: Int, batches: [String]) {
    let source = addSource(batchLimit: limit) { _, commands in log("\(commands)") }
    for command in 1...4 { #expect(source.send(command)) }
    for _ in 1...5 { RunLoop.current.runPass() }
    #expect(log.events == batches)
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
    let source = addSource(batchLimit: 1) { _, commands in
      log("batch")
      Thread.sleep(forTimeInterval: 0.0002)
      if commands == [100] { stopRun() }
    }
    for command in 1...100 { source.send(command) }
    run()
    timer.invalidate()
    other = nil
    let between = log.events.split(separator: "batch", omittingEmptySubsequences: false).dropFirst().dropLast()
    #expect(between.count == 99)
    #expect(between.allSatisfy { $0.contains("other") })
    #expect(between.filter { !$0.contains("timer") }.count <= mostGapsWithoutATimer(of: between.count))
  }

  @Test func commandsSentDuringABatchComeAfterEarlierOnes() {
    let source = addSource(batchLimit: 2) { source, commands in
      log("\(commands)")
      if commands.contains(1) { for command in 6...8 { source.send(command) } }
    }
    for command in 1...5 { source.send(command) }
    for _ in 1...5 { RunLoop.current.runPass() }
    #expect(log.events == ["[1, 2]", "[3, 4]", "[5, 6]", "[7, 8]"])
  }
}
