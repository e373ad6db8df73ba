import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// A `RunLoopSource` in passes that are driven by hand.
@Suite(.onOwnLoop) struct SourcePassTests {
  let log = Log()

  /// The pass still goes through all its activities.
  @Test func aPassDeliversOneBatchAndRunsTheTasksOfAllTimings() {
    let source = RunLoopSource<Int>(batchLimit: 2) { log("\($0)") }
    RunLoop.current.add(source, forMode: .default)
    for command in 1...30 { source.send(command) }
    for timing in RunLoopTask.Timing.allCases { RunLoop.current.perform { log("\(timing)") }.when(timing) }
    RunLoop.current.runPass()
    log("next")
    RunLoop.current.advance(by: .zero)
    source.invalidate()
    #expect(log.events == ["[1, 2]", "currentLoopEnded", "nextLoopBegan", "idle", "next", "[3, 4]"])
  }

  /// What `perform` sends itself waits for the next pass.
  @Test func aPassDeliversNoCommandThatItsBatchHasSent() {
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource<Int> { batch in
      log("\(batch)")
      source.value?.send(batch[0] + 1)
    }
    RunLoop.current.add(source.value!, forMode: .default)
    source.value?.send(1)
    for _ in 1...3 { RunLoop.current.runPass() }
    source.value?.invalidate()
    source.value = nil
    #expect(log.events == ["[1]", "[2]", "[3]"])
  }

  /// Nothing else wakes the loop or signals the source.
  @Test(arguments: [RunLoop.Mode.default, .custom])
  func aRunAfterAPassDeliversTheRest(mode: RunLoop.Mode) {
    deliverFive(in: mode) {
      RunLoop.current.runPass(mode: mode)
      run(mode)
    }
  }

  /// A pass that is stopped before it waits leaves the rest for the next one, too.
  @Test func aPassThatIsStoppedEarlyLosesNoCommand() {
    deliverFive(stopsEach: true) { for _ in 1...5 { RunLoop.current.runPass() } }
  }

  /// A run that a task of the pass runs is a run of its own, with as many turns as it needs.
  @Test func aRunNestedInAPassDeliversABatchATurn() {
    deliverFive {
      RunLoop.current.perform { run() }.when(.currentLoopEnded)
      RunLoop.current.runPass()
    }
  }

  /// Sends five commands for a batch each, and runs the loop by `body`. The last of them stops the run, or each.
  private func deliverFive(in mode: RunLoop.Mode = .default, stopsEach: Bool = false, _ body: () -> Void) {
    let count = Counter()
    let source = RunLoopSource<Int>(batchLimit: 1) { _ in if count.count() == 5 || stopsEach { stopRun() } }
    RunLoop.current.add(source, forMode: mode)
    for command in 1...5 { source.send(command) }
    body()
    source.invalidate()
    #expect(count.value == 5)
  }
}
