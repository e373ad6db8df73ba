import Foundation
import RunLoopTasks
import Testing

/// Contract, sections 3a, 6 and 7: where the program stops, and what it says then.
@Suite struct TimeStopTests {
  @Test func aLimitOfNothingInAChain() async {
    let zero = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      currentLoop().perform {}.when(.idle).within(.zero)
    }
    expect(
      zero, says: "RunLoopTask.within(_:) of the task scheduled at RunLoopTasksTests/TimeStopTests.swift:",
      and: "needs a limit above zero, not 0.0 seconds: to run the task as soon as possible, leave the limit out")
    let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      currentLoop().perform {}.when(.idle).within(.milliseconds(-5))
    }
    expect(negative, says: "RunLoopTask.within(_:)", and: "not -0.005 seconds")
  }

  @Test func aLimitOfNothingAsAnArgument() async {
    let own = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      currentLoop().perform(when: .idle, within: .zero) {}
    }
    expect(own, says: "RunLoop.perform(when:) needs a limit above zero", and: "leave the limit out")
    let queue = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      RunLoopTaskQueue.main.perform(within: .seconds(-1)) {}
    }
    expect(queue, says: "RunLoopTaskQueue.perform(when:) needs a limit above zero", and: "leave the limit out")
    let awaited = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await RunLoopTaskQueue.main.run(within: .zero) {}
    }
    expect(awaited, says: "RunLoopTaskQueue.run(when:) needs a limit above zero", and: "leave the limit out")
    let actor = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      MainActor.perform(within: .zero) {}
    }
    expect(actor, says: "MainActor.perform(when:) needs a limit above zero", and: "leave the limit out")
    let actorsRun = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await MainActor.run(when: .idle, within: .zero) {}
    }
    expect(actorsRun, says: "MainActor.run(when:) needs a limit above zero", and: "leave the limit out")
  }

  @Test func noModeAsAnArgument() async {
    let own = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      currentLoop().perform(when: .idle, forModes: []) {}
    }
    expect(own, says: "RunLoop.perform(when:) needs at least one mode", and: "never run")
    let actor = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await MainActor.run(when: .idle, forModes: []) {}
    }
    expect(actor, says: "MainActor.run(when:) needs at least one mode", and: "never run")
  }

  @Test func performingWithArgumentsOnAnotherThreadsLoop() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      RunLoop.main.perform(when: .idle) {}
    }
    expect(
      result, says: "RunLoop.perform(when:) must be called on the loop's own thread",
      and: "MainActor.perform(when: .currentLoopEnded)")
  }

  // MARK: driving

  @Test func drivingAnotherThreadsLoop() async {
    let advance = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      RunLoop.main.advance(by: .seconds(1))
    }
    expect(advance, says: "RunLoop.advance(by:mode:) must be called on the loop's own thread", and: "no other")
    let until = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      RunLoop.main.runUntil { true }
    }
    expect(until, says: "RunLoop.runUntil(mode:timeout:_:) must be called on the loop's own thread", and: "no other")
  }

  @Test func drivingTheCommonModes() async {
    let advance = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      currentLoop().advance(by: .seconds(1), mode: .common)
    }
    expect(advance, says: "RunLoop.advance(by:mode:) needs a single mode", and: "pass .default")
    let until = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      currentLoop().runUntil(mode: .common) { true }
    }
    expect(until, says: "RunLoop.runUntil(mode:timeout:_:) needs a single mode", and: "pass .default")
    let finish = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      currentLoop().runUntilTasksFinish(mode: .common)
    }
    expect(finish, says: "RunLoop.runUntilTasksFinish(mode:timeout:) needs a single mode", and: "pass .default")
  }

  @Test func lettingTimeGoBack() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      currentLoop().advance(by: .milliseconds(-1))
    }
    expect(
      result, says: "RunLoop.advance(by:mode:) needs a duration of zero or more, not -0.001 seconds",
      and: "time does not go back")
  }
}

private func expect(_ result: ExitTest.Result?, says message: String, and remedy: String) {
  let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  #expect(output.contains("Fatal error: \(message)"), "\(output)")
  #expect(output.contains(remedy), "\(output)")
}

/// `RunLoop.current`, which async code may not name.
private func currentLoop() -> RunLoop { .current }
