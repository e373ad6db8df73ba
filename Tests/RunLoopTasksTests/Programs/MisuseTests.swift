#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import RunLoopVirtualTime
  import Testing

  /// A misuse traps with a message that names the call and says what to do instead.
  @Suite(.onOwnLoop) struct MisuseTests {
    @Test(arguments: Misuse.all.indices) func aMisuseStopsTheProgramWithAMessage(index: Int) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [index] in
        endInTime()
        try await Misuse.all[index].call()
      }
      let (misuse, output) = (Misuse.all[index], String(decoding: result?.standardErrorContent ?? [], as: UTF8.self))
      #expect(output.contains("Fatal error: \(misuse.message)") && output.contains(misuse.remedy), "\(output)")
      guard misuse.namesCaller else { return }
      let place = output.components(separatedBy: ": Fatal error: \(misuse.message)")[0].split(separator: ":")
      #expect(place.dropLast().last?.hasSuffix(misuse.file) == true && Int(place.last ?? "") != nil, "\(output)")
    }
  }

  /// The loop of another thread, for a call that the library refuses.
  private struct OtherThreadsLoop: @unchecked Sendable {
    // Unchecked, because the process stops at the first call.
    let loop: RunLoop
  }

  /// A key that schedules a task when it is compared.
  private struct SchedulingKey: Hashable {
    static func == (_: SchedulingKey, _: SchedulingKey) -> Bool {
      RunLoop.current.perform(when: .idle, coalescedBy: "other") {}
      return true
    }

    func hash(into _: inout Hasher) {}
  }

  /// An actor that has no executor of its own.
  private actor DefaultActor {
    private var n = 0

    func countWithAChain() { RunLoop.current.perform { self.n += 1 }.when(.idle) }
    func countInOneCall() { RunLoop.current.perform(when: .idle) { self.n += 1 } }
  }

  /// An actor that shares the executor of another.
  private actor Guest {
    private let host: DefaultActor
    private var n = 0

    init(of host: DefaultActor) { self.host = host }

    nonisolated var unownedExecutor: UnownedSerialExecutor { host.unownedExecutor }

    func countInOneCall() { RunLoop.current.perform(when: .idle) { self.n += 1 } }
  }

  struct Misuse: Sendable {
    /// What is misused, and how. The message begins with it.
    let message: String
    /// What else the message says.
    let remedy: String
    /// Before the message are the file and the line of the call.
    let namesCaller: Bool
    let file: String
    let call: @Sendable () async throws -> Void

    /// - Parameter call: not async, because async code may not call the methods of `RunLoop`.
    init(
      _ message: String, _ remedy: String, namesCaller: Bool = true, file: String = #fileID,
      _ call: @escaping @Sendable () -> Void
    ) {
      self.init(message, remedy, namesCaller: namesCaller, file: file, awaiting: { call() })
    }

    init(
      _ message: String, _ remedy: String, namesCaller: Bool = true, file: String = #fileID,
      awaiting call: @escaping @Sendable () async throws -> Void
    ) {
      (self.message, self.remedy, self.namesCaller, self.file, self.call) = (message, remedy, namesCaller, file, call)
    }

    static let all =
      modes + intervals + keys + budgets + options + otherLoops + isolation + driving + sources + threads

    // MARK: options of a task or a queue

    private static let thisFile = "of the task scheduled at RunLoopTasksTests/MisuseTests.swift:"

    private static let modes = [
      Misuse("RunLoopTask.forModes(_:) \(thisFile)", "needs at least one mode") {
        RunLoop.current.perform {}.when(.idle).forModes()
      },
      Misuse("RunLoop.perform(when:) needs at least one mode", "never run") {
        RunLoop.current.perform(when: .idle, forModes: []) {}
      },
      Misuse("RunLoopTaskQueue.perform(when:) needs at least one mode", "never run") {
        RunLoopTaskQueue.main.perform(forModes: []) {}
      },
      Misuse("RunLoopTaskQueue.performAndWait needs at least one mode", "never run") {
        let queue = RunLoop.current.taskQueue
        try? queue.performAndWait(forModes: []) {}
      },
      Misuse("RunLoopTaskQueue.run(when:) needs at least one mode", "never run") {
        try await RunLoopTaskQueue.main.run(forModes: []) {}
      },
      Misuse("RunLoopTaskQueue.run(when:) needs at least one mode", "never run") {
        let task = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          try await RunLoopTaskQueue.main.run(forModes: []) {}
        }
        try await task.value
      },
      Misuse("MainActor.perform(when:) needs at least one mode", "never run") { MainActor.perform(forModes: []) {} },
      Misuse("MainActor.run(when:) needs at least one mode", "never run") {
        try await MainActor.run(when: .idle, forModes: []) {}
      },
    ]

    private static let intervals = [
      Misuse(
        "RunLoopTask.coalesced(by:) of the task scheduled at", "needs a key for atMostEvery: 1.0 seconds",
        namesCaller: false
      ) {
        RunLoop.current.perform {}.when(.idle).coalesced(by: String?.none, atMostEvery: .seconds(1))
      },
      Misuse("RunLoop.perform(when:) needs a key for atMostEvery: 1.0 seconds", "between tasks with an equal key") {
        RunLoop.current.perform(when: .idle, atMostEvery: .seconds(1)) {}
      },
      Misuse("RunLoopTaskQueue.perform(when:) needs a key", "equal key") {
        RunLoopTaskQueue.main.perform(atMostEvery: .seconds(1)) {}
      },
      Misuse("MainActor.perform(when:) needs a key", "equal key") { MainActor.perform(atMostEvery: .seconds(1)) {} },
    ]

    private static let keys = [
      Misuse(
        "The == of a key has scheduled", "must only compare", namesCaller: false
      ) {
        for _ in 1...2 { RunLoop.current.perform(when: .idle, coalescedBy: SchedulingKey()) {} }
      }
    ]

    private static let budgets = [
      Misuse("RunLoopTaskQueue.budget must be more than zero, not -0.004", "set nil", namesCaller: false) {
        RunLoopTaskQueue.main.budget = .milliseconds(-4)
      }
    ]

    /// Options that are chained to a task on another thread than its loop's.
    private static let options: [Misuse] = [
      option("when") { $0.when(.idle) },
      option("forModes") { $0.forModes(.common) },
      option("forModes") { $0.forModes([.default, .common]) },
      option("after") { $0.after(.seconds(1)) },
      option("within") { $0.within(.seconds(1)) },
      option("order") { $0.order(1) },
      Misuse("RunLoopTask.coalesced(by:) \(thisFile)", "pass the options in the call", namesCaller: false) {
        let task = onLoopThread { RunLoop.current.taskQueue.perform {} }
        task.coalesced(by: "key")  // the loop of the task has ended, which makes no difference
      },
    ]

    private static func option(_ name: String, _ chain: @escaping @Sendable (RunLoopTask) -> Void) -> Misuse {
      Misuse("RunLoopTask.\(name)(_:) \(thisFile)", "pass the options in the call", namesCaller: false) {
        let task = RunLoop.current.taskQueue.perform {}
        elsewhere { chain(task) }
      }
    }

    // MARK: the loop of another thread

    private static let otherLoops = [
      Misuse(
        "RunLoop.perform(_:) must be called on the loop's own thread", "MainActor.perform(when: .currentLoopEnded)"
      ) {
        RunLoop.main.perform {}.when(.currentLoopEnded)
      },
      Misuse(
        "RunLoop.perform(when:) must be called on the loop's own thread", "MainActor.perform(when: .currentLoopEnded)"
      ) { RunLoop.main.perform(when: .idle) {} },
      Misuse(
        "RunLoop.perform(_:) must be called on the loop's own thread", "MainActor.perform(when: .currentLoopEnded)"
      ) {
        elsewhere {
          let token = Token { RunLoop.main.perform {}.when(.currentLoopEnded) }
          RunLoop.current.perform { token.use() }.when(.idle)
        }
        while true { sleep(1) }
      },
      Misuse("RunLoop.taskQueue of a loop that is not the main one", "pass the RunLoopTaskQueue on", namesCaller: false)
      {
        elsewhere {
          let loop = OtherThreadsLoop(loop: .current)
          elsewhere { _ = loop.loop.taskQueue }
        }
      },
      Misuse(
        "RunLoopTask.runNow() must be called on the loop's own thread", "let the loop do it"
      ) {
        let task = RunLoop.current.perform {}.when(.idle)
        elsewhere { task.runNow() }
      },
      Misuse(
        "RunLoop.runTask(coalescedBy:) must be called on the loop's own thread",
        "let the loop do it"
      ) { RunLoop.main.runTask(coalescedBy: 1) },
      Misuse("RunLoop.runAllTasks() must be called on the loop's own thread", "let the loop do it") {
        RunLoop.main.runAllTasks()
      },
      Misuse("RunLoopTasks found no free key for thread-specific data", "(error \(EAGAIN))", namesCaller: false) {
        var key = pthread_key_t()
        while pthread_key_create(&key, nil) == 0 {}
        RunLoop.current.perform {}.when(.idle)
      },
    ]

    // MARK: the code of an actor

    private static let isolation = [
      Misuse("RunLoop.perform(_:) must not be called in a method of an actor", "use MainActor.perform(when:)") {
        await DefaultActor().countWithAChain()
      },
      Misuse("RunLoop.perform(when:) must not be called in a method of an actor", "a RunLoopThread as the actor's") {
        await DefaultActor().countInOneCall()
      },
      Misuse("RunLoop.perform(when:) must not be called in a method of an actor", "the taskQueue of a loop that runs") {
        await Guest(of: DefaultActor()).countInOneCall()
      },
    ]

    // MARK: calls that drive a loop

    private static let drivingCalls: [(function: String, call: @Sendable (RunLoop, RunLoop.Mode) -> Void)] = [
      ("RunLoop.runPass(mode:)", { $0.runPass(mode: $1) }),
      ("RunLoop.advance(by:mode:)", { $0.advance(by: .seconds(1), mode: $1) }),
      ("RunLoop.runUntil", { $0.runUntil(mode: $1) { true } }),
      ("RunLoop.runUntil", { _ = $0.runUntil(mode: $1, timeout: .zero) { true } }),
      ("RunLoop.runUntilTasksFinish", { $0.runUntilTasksFinish(mode: $1) }),
      ("RunLoop.runUntilTasksFinish", { _ = $0.runUntilTasksFinish(mode: $1, timeout: .zero) }),
    ]

    private static let driving =
      drivingCalls.flatMap { function, call in
        [
          Misuse("\(function) must be called on the loop's own thread", "let the loop do it") { call(.main, .default) },
          Misuse("\(function) needs a single mode", "pass .default") { call(.current, .common) },
        ]
      } + [
        Misuse("RunLoop.runTasks(of:) must be called on the loop's own thread", "let the loop do it") {
          RunLoop.main.runTasks(of: .currentLoopEnded)
        },
        Misuse(
          "RunLoop.advance(by:mode:) needs a duration of zero or more, not -0.001 seconds", "time does not go back"
        ) { RunLoop.current.advance(by: .milliseconds(-1)) },
      ]
  }
#endif
