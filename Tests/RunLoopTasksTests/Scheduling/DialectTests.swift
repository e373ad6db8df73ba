import Foundation
import RunLoopTasks
import Testing

/// The call with arguments has the defaults of the queue, and the methods of Foundation do not change.
@Suite(.onOwnLoop) struct DialectTests {
  let log = Log()

  /// And with an option, the call is the package's.
  @Test func theTimingHasTheDefaultOfTheQueue() {
    final class Screen { var updates = 0 }
    let screen = Screen()
    let update = { screen.updates += 1 }
    RunLoop.current.perform(after: .seconds(3_000)) { screen.updates += 1 }
    let tasks = [
      RunLoop.current.perform(within: .seconds(3_000), update), RunLoop.current.perform(forModes: [.custom]) {},
      RunLoop.current.perform(coalescedBy: 1) {}, RunLoop.current.perform(order: 1) {},
    ]
    for task in tasks { #expect(task.description.hasPrefix("RunLoopTask(pending, nextLoopBegan in ")) }
    #expect(tasks[2].description.contains("nextLoopBegan in default"))
    #expect(RunLoop.current.taskQueue.count == 5)
  }

  /// Without a type, the result of such a closure is a task.
  @Test func aChainMayBeTheOnlyExpressionOfAClosure() {
    let loop = RunLoop.current
    let delayed = { loop.perform {}.after(.seconds(3_000)) }
    let both = { loop.perform {}.when(.idle).after(.seconds(3_000)) }
    let limited = [1, 2].map { number in loop.perform {}.when(.idle).within(.seconds(3_000 + number)) }
    #expect(delayed().cancel() && both().cancel() && limited.allSatisfy { $0.cancel() })
  }

  /// A block of Foundation runs at once in the next run and is not counted as a task.
  @Test func theMethodsOfFoundationScheduleBlocks() {
    RunLoop.current.perform { log("unchained") }
    RunLoop.current.perform(inModes: [.default, .custom]) { log("in modes") }
    let block: @Sendable () -> Void = { log("value") }
    RunLoop.current.perform(block)
    RunLoop.current.perform(inModes: [.default], block: block)
    let result: Void = RunLoop.current.perform(block)
    withExtendedLifetime(result) {}
    log("\(RunLoop.current.taskQueue.count)")
    poll()
    #expect(log.events == ["0", "unchained", "in modes", "value", "value", "value"])
  }

  // On Linux the method of Foundation refuses such a value, so the package takes it. On Apple's platforms Foundation's
  // method takes it with a compiler warning, and the tests are built without warnings.
  #if !canImport(Darwin)
    @Test func aFunctionValueThatIsNotSendableCompilesUnchained() {
      final class Screen { var updates = 0 }
      let screen = Screen()
      let update = { screen.updates += 1 }
      RunLoop.current.perform(update)
      RunLoop.current.runPass()
      #expect(screen.updates == 1)
    }
  #endif
}
