import Foundation
import RunLoopTasks
import Testing

/// The call with arguments equals the chain, and the methods of Foundation do not change.
@Suite(.onOwnLoop) struct DialectTests {
  let log = Log()

  @Test(arguments: RunLoopTask.Timing.allCases) func aCallWithArgumentsEqualsTheChain(timing: RunLoopTask.Timing) {
    var descriptions: [String] = []
    // At one moment, so that the remaining delays are equal.
    atOneMoment {
      let tasks = [Form.chain, .arguments, .queue].flatMap { form in
        [
          form.perform(when: timing) {},
          form.perform(
            when: timing, after: .seconds(3_000), within: .seconds(4_000), order: 7, forModes: [.custom, .common],
            coalescedBy: "\(form)", atMostEvery: .seconds(2)
          ) {},
        ]
      }
      descriptions = tasks.map { $0.description.replacing(/, scheduled at .*|chain|arguments|queue/, with: "") }
    }
    #expect(Set([0, 2, 4].map { descriptions[$0] }).count == 1)
    #expect(Set([1, 3, 5].map { descriptions[$0] }).count == 1)
    #expect(descriptions[1].contains("\(timing) in \"RunLoopTasksTests.custom\", common"))
  }

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

  @Test func aKeyForTheOwnThreadNeedNotBeSendable() {
    final class Key: Hashable {
      let name: String
      init(_ name: String) { self.name = name }
      static func == (one: Key, other: Key) -> Bool { one.name == other.name }
      func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }
    for number in 1...3 {
      RunLoop.current.perform(when: .currentLoopEnded, coalescedBy: Key("a")) { log("a\(number)") }
      RunLoop.current.perform(when: .currentLoopEnded, coalescedBy: Key("b")) { log("b\(number)") }
    }
    RunLoop.current.runPass()
    #expect(log.events == ["a3", "b3"])
  }

  @Test func aClosureForTheOwnThreadNeedNotBeSendable() {
    final class Screen { var updates = 0 }
    let screen = Screen()
    RunLoop.current.perform { screen.updates += 1 }.when(.currentLoopEnded)
    RunLoop.current.perform(when: .currentLoopEnded) { screen.updates += 1 }
    let update = { screen.updates += 1 }
    RunLoop.current.perform(when: .currentLoopEnded, update)
    RunLoop.current.runPass()
    #expect(screen.updates == 3)
  }

  // MARK: methods of Foundation

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
