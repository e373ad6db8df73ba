#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import Testing

  /// A misuse stops the program with a message that names the call and says what to do instead.
  @Suite struct MisuseTests {
    @Test(arguments: Misuse.all.map(\.name)) func aMisuseStopsTheProgramWithAMessage(misuse name: String) async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [name] in
        try await Misuse.all.first { $0.name == name }!.call()
      }
      let misuse = try #require(Misuse.all.first { $0.name == name })
      expect(result, says: misuse.message, and: misuse.remedy)
    }

    @Test func eachMisuseHasANameOfItsOwn() { #expect(Set(Misuse.all.map(\.name)).count == Misuse.all.count) }
  }

  private struct Misuse: Sendable {
    /// Says where the program misuses what.
    let name: String
    let message: String
    let remedy: String
    let call: @Sendable () async throws -> Void

    /// - Parameter call: not async, because async code may not call the methods of `RunLoop`.
    init(_ name: String, says message: String, and remedy: String, _ call: @escaping @Sendable () -> Void) {
      (self.name, self.message, self.remedy) = (name, message, remedy)
      self.call = { call() }
    }

    init(
      _ name: String, says message: String, and remedy: String,
      awaiting call: @escaping @Sendable () async throws -> Void
    ) {
      (self.name, self.message, self.remedy, self.call) = (name, message, remedy, call)
    }

    static let all = modes + limits + budgets + otherLoops + driving + sources + threads

    // MARK: options of a task or a queue

    private static let thisFile = "of the task scheduled at RunLoopTasksTests/MisuseTests.swift:"

    private static let modes = [
      Misuse("an empty list of modes", says: "RunLoopTask.forModes(_:) \(thisFile)", and: "needs at least one mode") {
        RunLoop.current.perform {}.when(.idle).forModes()
      },
      Misuse("an empty sequence of modes", says: "RunLoopTask.forModes(_:) \(thisFile)", and: "needs at least one mode")
      {
        RunLoop.current.perform {}.when(.idle).forModes([])
      },
      Misuse("no modes as an argument", says: "RunLoop.perform(when:) needs at least one mode", and: "never run") {
        RunLoop.current.perform(when: .idle, forModes: []) {}
      },
      Misuse("no modes for a queue", says: "RunLoopTaskQueue.perform(when:) needs at least one mode", and: "never run")
      {
        RunLoopTaskQueue.main.perform(forModes: []) {}
      },
      Misuse(
        "no modes for an awaited task", says: "RunLoopTaskQueue.run(when:) needs at least one mode", and: "never run",
        awaiting: { try await RunLoopTaskQueue.main.run(forModes: []) {} }),
      Misuse("no modes for the main actor", says: "MainActor.perform(when:) needs at least one mode", and: "never run")
      {
        MainActor.perform(forModes: []) {}
      },
      Misuse(
        "no modes for an awaited task of the main actor", says: "MainActor.run(when:) needs at least one mode",
        and: "never run", awaiting: { try await MainActor.run(when: .idle, forModes: []) {} }),
    ]

    private static let limits = [
      Misuse(
        "a limit of zero", says: "RunLoopTask.within(_:) \(thisFile)",
        and: "needs a limit above zero, not 0.0 seconds: to run the task as soon as possible, leave the limit out"
      ) { RunLoop.current.perform {}.when(.idle).within(.zero) },
      Misuse("a limit below zero", says: "RunLoopTask.within(_:)", and: "not -0.005 seconds") {
        RunLoop.current.perform {}.when(.idle).within(.milliseconds(-5))
      },
      Misuse(
        "a limit of zero as an argument", says: "RunLoop.perform(when:) needs a limit above zero",
        and: "leave the limit out"
      ) { RunLoop.current.perform(when: .idle, within: .zero) {} },
      Misuse(
        "a limit below zero for a queue", says: "RunLoopTaskQueue.perform(when:) needs a limit above zero",
        and: "leave the limit out"
      ) { RunLoopTaskQueue.main.perform(within: .seconds(-1)) {} },
      Misuse(
        "a limit of zero for an awaited task", says: "RunLoopTaskQueue.run(when:) needs a limit above zero",
        and: "leave the limit out", awaiting: { try await RunLoopTaskQueue.main.run(within: .zero) {} }),
      Misuse(
        "a limit of zero for the main actor", says: "MainActor.perform(when:) needs a limit above zero",
        and: "leave the limit out"
      ) { MainActor.perform(within: .zero) {} },
      Misuse(
        "a limit of zero for an awaited task of the main actor", says: "MainActor.run(when:) needs a limit above zero",
        and: "leave the limit out", awaiting: { try await MainActor.run(when: .idle, within: .zero) {} }),
    ]

    private static let budgets = [
      Misuse("a budget of zero", says: "RunLoopTaskQueue.budget must be more than zero, not 0.0 s", and: "set nil") {
        RunLoopTaskQueue.main.budget = .zero
      },
      Misuse("a budget below zero", says: "RunLoopTaskQueue.budget must be more than zero, not -0.004", and: "set nil")
      {
        RunLoopTaskQueue.main.budget = .milliseconds(-4)
      },
      Misuse(
        "a budget of one's own of zero", says: "RunLoopTaskQueue.remainingBudget(of:) needs a budget of more than zero",
        and: "not 0.0 seconds"
      ) { _ = RunLoopTaskQueue.main.remainingBudget(of: .zero) },
      Misuse(
        "a budget of one's own below zero",
        says: "RunLoopTaskQueue.remainingBudget(of:) needs a budget of more than zero", and: "not -0.004 seconds"
      ) { _ = RunLoopTaskQueue.main.remainingBudget(of: .milliseconds(-4)) },
    ]

    // MARK: the loop of another thread

    private static let otherLoops = [
      Misuse(
        "a chain on another loop", says: "RunLoop.perform(_:) must be called on the loop's own thread",
        and: "MainActor.perform(when: .currentLoopEnded)"
      ) { RunLoop.main.perform {}.when(.currentLoopEnded) },
      Misuse(
        "a call with arguments on another loop", says: "RunLoop.perform(when:) must be called on the loop's own thread",
        and: "MainActor.perform(when: .currentLoopEnded)"
      ) { RunLoop.main.perform(when: .idle) {} },
      Misuse(
        "a chain on another loop at the end of a thread",
        says: "RunLoop.perform(_:) must be called on the loop's own thread",
        and: "MainActor.perform(when: .currentLoopEnded)"
      ) {
        elsewhere {
          let token = Token { RunLoop.main.perform {}.when(.currentLoopEnded) }
          RunLoop.current.perform { token.use() }.when(.idle)
        }
        while true { sleep(1) }
      },
      Misuse(
        "the queue of another loop", says: "RunLoop.taskQueue of a loop that is not the main one",
        and: "pass the RunLoopTaskQueue on", awaiting: { _ = await otherThreadsLoop().loop.taskQueue }),
      Misuse(
        "no free key", says: "RunLoopTasks found no free key for thread-specific data", and: "(error \(EAGAIN))"
      ) {
        var key = pthread_key_t()
        while pthread_key_create(&key, nil) == 0 {}
        RunLoop.current.perform {}.when(.idle)
      },
    ]

    // MARK: calls that drive a loop

    private static let driving = [
      Misuse("a pass of another loop", says: "RunLoop.runPass(mode:) must be called on the loop's own", and: "no other")
      {
        RunLoop.main.runPass()
      },
      Misuse(
        "passes of another loop", says: "RunLoop.runUntilTasksFinish(mode:timeout:) must be called on the loop's own",
        and: "no other"
      ) { RunLoop.main.runUntilTasksFinish() },
      Misuse(
        "an advance of another loop", says: "RunLoop.advance(by:mode:) must be called on the loop's own thread",
        and: "no other"
      ) { RunLoop.main.advance(by: .seconds(1)) },
      Misuse(
        "a wait on another loop", says: "RunLoop.runUntil(mode:timeout:_:) must be called on the loop's own thread",
        and: "no other"
      ) { RunLoop.main.runUntil { true } },
      Misuse("a pass in the common modes", says: "RunLoop.runPass(mode:) needs a single mode", and: "pass .default") {
        RunLoop.current.runPass(mode: .common)
      },
      Misuse(
        "passes in the common modes", says: "RunLoop.runUntilTasksFinish(mode:timeout:) needs a single mode",
        and: "pass .default"
      ) { RunLoop.current.runUntilTasksFinish(mode: .common) },
      Misuse("an advance in the common modes", says: "RunLoop.advance(by:mode:) needs a single mode", and: ".default") {
        RunLoop.current.advance(by: .seconds(1), mode: .common)
      },
      Misuse(
        "a wait in the common modes", says: "RunLoop.runUntil(mode:timeout:_:) needs a single mode", and: ".default"
      ) { RunLoop.current.runUntil(mode: .common) { true } },
      Misuse(
        "an advance back", says: "RunLoop.advance(by:mode:) needs a duration of zero or more, not -0.001 seconds",
        and: "time does not go back"
      ) { RunLoop.current.advance(by: .milliseconds(-1)) },
    ]

    // MARK: sources and observers

    private static let sources = [
      Misuse("a batch of no command", says: "RunLoopSource needs a batchLimit of at least one", and: "not 0") {
        _ = RunLoopSource<Int>(batchLimit: 0) { _ in }
      },
      Misuse("a batch of less", says: "RunLoopSource needs a batchLimit of at least one", and: "not -1") {
        _ = RunLoopSource<Int>(batchLimit: -1) { _ in }
      },
      Misuse(
        "a source for another loop", says: "RunLoop.add(_:forMode:) must be called on the loop's own thread",
        and: "queue.perform { RunLoop.current.add(source, forMode: …) }",
        awaiting: { await otherThreadsLoop().loop.add(RunLoopSource<Int> { _ in }, forMode: .default) }),
      Misuse(
        "the source of another loop", says: "RunLoop.remove(_:forMode:) must be called on the loop's own thread",
        and: "queue.perform { RunLoop.current.remove(source, forMode: …) }",
        awaiting: { await otherThreadsLoop().loop.remove(RunLoopSource<Int> { _ in }, forMode: .default) }),
      Misuse(
        "an observer of another loop",
        says: "RunLoop.observe(_:forModes:order:repeats:_:) must be called on the loop's own thread",
        and: "RunLoop.current.observe(…)", awaiting: { _ = await otherThreadsLoop().loop.observe(.all) { _ in } }),
      Misuse(
        "an observer of no mode", says: "RunLoop.observe(_:forModes:order:repeats:_:) needs at least one mode",
        and: "is never called"
      ) { _ = RunLoop.current.observe(.all, forModes: []) { _ in } },
    ]

    // MARK: threads

    private static let threads = [
      Misuse("a stack of size zero", says: "RunLoopThread needs a stack", and: "not 0, or nil") {
        _ = RunLoopThread(name: "worker", stackSize: 0)
      },
      Misuse(
        "a thread that joins itself", says: "RunLoopThread.join() was called on the thread itself",
        and: "call it on another one",
        awaiting: {
          let thread = RunLoopThread(name: "worker")
          try await thread.taskQueue.run { thread.join() }
        }),
      Misuse(
        "a thread that joins itself at its end", says: "RunLoopThread.join() was called on the thread itself",
        and: "call it on another one",
        awaiting: {
          let thread = RunLoopThread(name: "worker")
          let source = RunLoopSource<Int>(onCancel: { _ in thread.join() }, perform: { _ in })
          try await thread.taskQueue.run { RunLoop.current.add(source, forMode: .default) }
          thread.stop()
          while true { sleep(1) }
        }),
      Misuse("an assumption on another thread", says: assumption.message, and: assumption.remedy) {
        ThreadActor().assumeIsolated { _ in }
      },
      Misuse(
        "a check on another thread", says: "Code that assumes the isolation of an actor on a RunLoopThread",
        and: "another thread"
      ) { RunLoopThread(name: "worker").checkIsolated() },
    ]

    /// Swift asks the executor and has a message of its own, or lets the executor stop the program.
    private static var assumption: (message: String, remedy: String) {
      if #available(macOS 26, *) { return ("Incorrect actor executor assumption", "ThreadActor") }
      return ("Code that assumes the isolation of an actor on a RunLoopThread", "another thread")
    }
  }
#endif
