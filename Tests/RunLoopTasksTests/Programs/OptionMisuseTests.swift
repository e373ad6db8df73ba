#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import Testing

  /// The message of a program that stops because of an option of a task or a queue.
  @Suite struct OptionMisuseTests {
    // MARK: modes

    @Test func emptyListOfModes() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        synchronously { RunLoop.current.perform {}.when(.idle).forModes() }
      }
      expect(
        result, says: "RunLoopTask.forModes(_:) of the task scheduled at RunLoopTasksTests/OptionMisuseTests.swift:",
        and: "needs at least one mode")
    }

    @Test func emptySequenceOfModes() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        synchronously { RunLoop.current.perform {}.when(.idle).forModes([]) }
      }
      expect(
        result, says: "RunLoopTask.forModes(_:) of the task scheduled at RunLoopTasksTests/OptionMisuseTests.swift:",
        and: "needs at least one mode")
    }

    @Test func emptyModesAsAnArgument() async {
      let own = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        synchronously { RunLoop.current.perform(when: .idle, forModes: []) {} }
      }
      expect(own, says: "RunLoop.perform(when:) needs at least one mode", and: "never run")
      let actor = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try await MainActor.run(when: .idle, forModes: []) {}
      }
      expect(actor, says: "MainActor.run(when:) needs at least one mode", and: "never run")
    }

    @Test func emptyModesForAQueue() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        RunLoopTaskQueue.main.perform(forModes: []) {}
      }
      expect(
        result, says: "RunLoopTaskQueue.perform(when:) needs at least one mode", and: "never run")
    }

    @Test func emptyModesForAnAwaitedTask() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try await RunLoopTaskQueue.main.run(forModes: []) {}
      }
      expect(result, says: "RunLoopTaskQueue.run(when:) needs at least one mode", and: "never run")
    }

    @Test func emptyModesForTheMainActor() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        MainActor.perform(forModes: []) {}
      }
      expect(result, says: "MainActor.perform(when:) needs at least one mode", and: "never run")
    }

    // MARK: limits

    @Test func limitOfZeroOrLessInAChain() async {
      let zero = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        synchronously { RunLoop.current.perform {}.when(.idle).within(.zero) }
      }
      expect(
        zero, says: "RunLoopTask.within(_:) of the task scheduled at RunLoopTasksTests/OptionMisuseTests.swift:",
        and: "needs a limit above zero, not 0.0 seconds: to run the task as soon as possible, leave the limit out")
      let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        synchronously { RunLoop.current.perform {}.when(.idle).within(.milliseconds(-5)) }
      }
      expect(negative, says: "RunLoopTask.within(_:)", and: "not -0.005 seconds")
    }

    @Test func limitOfZeroOrLessAsAnArgument() async {
      let own = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        synchronously { RunLoop.current.perform(when: .idle, within: .zero) {} }
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

    // MARK: budget

    @Test func budgetOfZeroOrLess() async {
      let zero = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        RunLoopTaskQueue.main.budget = .zero
      }
      expect(zero, says: "RunLoopTaskQueue.budget must be more than zero, not 0.0 seconds", and: "set nil")
      let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        RunLoopTaskQueue.main.budget = .milliseconds(-4)
      }
      expect(negative, says: "RunLoopTaskQueue.budget must be more than zero, not -0.004 seconds", and: "set nil")
    }

    @Test(arguments: [0, -4]) func budgetOfZeroOrLessOfOnesOwn(milliseconds: Int) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [milliseconds] in
        _ = RunLoopTaskQueue.main.remainingBudget(of: .milliseconds(milliseconds))
      }
      expect(
        result, says: "RunLoopTaskQueue.remainingBudget(of:) needs a budget of more than zero",
        and: milliseconds == 0 ? "not 0.0 seconds" : "not -0.004 seconds")
    }
  }
#endif
