import Foundation
import Testing

@testable import RunLoopTasks
@testable import RunLoopTesting

/// Whether async code waits for a task of the loop.
private func isAwaited(_ loop: RunLoop) -> Bool {
  loop.stepped(in: .default, for: Call("", #fileID, #line)).isAwaited
}

private enum Local { @TaskLocal static var value = 0 }
private struct SomeError: Error {}

/// Debounces its input with a `Task` of the main actor.
@MainActor private final class Draft {
  var text = "" { didSet { saveLater() } }
  private(set) var saved = ""
  private var saving: Task<Void, any Error>?

  private func saveLater() {
    saving?.cancel()
    saving = Task {
      try await RunLoopTaskQueue.main.clock.sleep(for: .seconds(1_000))
      saved = text
    }
  }
}

@available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
@MainActor private final class CleansUp {
  private let cleanUp: @MainActor () -> Void
  init(_ cleanUp: @escaping @MainActor () -> Void) { self.cleanUp = cleanUp }
  isolated deinit { cleanUp() }
}

private func recordBodyInsideBody() { Issue.record("a body inside a body") }

struct MainRunLoopTests {
  @Test func theBodyRunsInATaskOfTheMainLoop() async throws {
    let value = try await withMainRunLoop { loop in
      #expect(loop === RunLoop.main)
      #expect(loop === RunLoop.current)
      #expect(Thread.isMainThread)
      #expect(loop.currentMode == .default)
      #expect(Test.current?.name == "theBodyRunsInATaskOfTheMainLoop()")
      return 42
    }
    #expect(value == 42)
  }

  /// In a plain test of the main actor, they do not.
  @Test func tasksOfTheMainActorGoOn() async throws {
    try await withMainRunLoop { loop in
      var steps = 0
      Task {
        steps += 1
        await Task.yield()
        steps += 1
      }
      #expect(loop.runUntil(timeout: .seconds(60)) { steps == 2 })
      Task { steps += 1 }
      loop.advance(by: .zero)
      #expect(steps == 3)
      Task { steps += 1 }
      while steps < 4 { _ = loop.run(mode: .default, before: .distantFuture) }
    }
  }

  /// A test of the main actor that runs the loop does not serve the main queue meanwhile.
  @Test @MainActor func theBodyDoesNotRunInATestOfTheMainActor() async throws {
    let hasRun = Count()
    async let body: Void = withMainRunLoop { loop in
      var hasGoneOn = false
      Task { hasGoneOn = true }
      #expect(loop.runUntil(timeout: .seconds(60)) { hasGoneOn })
      hasRun.add()
    }
    for _ in 1...20 {
      await Task.yield()
      pass()
    }
    try await body
    #expect(hasRun.value == 1)
  }

  @MainActor private func pass() { RunLoop.main.runPass() }

  @Test(arguments: 1...6) func debouncesSideBySideAreExact(_ number: Int) async throws {
    try await withMainRunLoop { loop in
      let draft = Draft()
      for text in ["a", "ab", "abc"] {
        draft.text = text
        loop.advance(by: .seconds(500))
        #expect(draft.saved == "")
      }
      loop.advance(by: .seconds(500))
      #expect(draft.saved == "abc")
    }
  }

  @Test func oneBodyRunsAtATime() async throws {
    let (running, runs) = (Count(), Count())
    try await withThrowingTaskGroup { group in
      for _ in 1...20 {
        group.addTask {
          try await withMainRunLoop { loop in
            #expect(running.add() == 1)
            loop.advance(by: .seconds(1))
            #expect(!loop.runUntil(timeout: .milliseconds(1)) { false })
            runs.add()
            running.add(-1)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(runs.value == 20)
  }

  @Test(.ownRunLoop) func itWorksInATestWithALoopOfItsOwn() async throws {
    let loop = currentLoop()
    try await withMainRunLoop { loop in
      #expect(loop === RunLoop.current)
      #expect(!loop.runPass())
    }
    #expect(currentLoop() == loop)
  }

  #if os(macOS) || os(Linux)  // Other platforms have no exit tests.
    /// The limit of the test stands still while it is in the main loop. In a process of its own, because it keeps the
    /// main loop for long.
    @Test(.ownRunLoop) func theLimitOfTheTestStandsStillMeanwhile() async {
      await #expect(processExitsWith: .success) {
        try await runWithTrait(.ownRunLoop(timeLimit: .seconds(2))) {
          try await withMainRunLoop { loop in #expect(!loop.runUntil(timeout: .seconds(3)) { false }) }
        }
      }
    }
  #endif

  @Test(.ownRunLoop) @MainActor func itWorksInATestOfTheMainActorWithALoopOfItsOwn() async throws {
    try await withMainRunLoop { loop in
      MainActor.perform {}
      loop.runPass()
    }
  }

  @Test @MainActor func itWorksInATestOfTheMainActor() async throws {
    var steps = 0
    steps += 1
    let value = try await withMainRunLoop { loop in
      loop.advance(by: .seconds(1))
      return 1
    }
    steps += value
    #expect(steps == 2)
  }

  // MARK: as the main actor runs its jobs

  @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
  @Test func anIsolatedDeinitRunsAtOnce() async throws {
    try await withMainRunLoop { _ in
      var isClean = false
      _ = CleansUp { isClean = true }
      #expect(isClean)
    }
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test func anImmediateTaskRunsAtOnce() async throws {
    try await withMainRunLoop { loop in
      var steps = 0
      Task.immediate {
        steps += 1
        await Task.yield()
        steps += 1
      }
      #expect(steps == 1)
      #expect(loop.runUntil(timeout: .seconds(60)) { steps == 2 })
    }
  }

  // MARK: whose body it is

  @Test func knownIssuesInsideAndAroundItMatch() async throws {
    try await withMainRunLoop { _ in withKnownIssue { #expect(Bool(false)) } }
    await withKnownIssue { try await withMainRunLoop { _ in #expect(Bool(false)) } }
  }

  @Test func taskLocalValuesHold() async throws {
    try await Local.$value.withValue(7) {
      try await withMainRunLoop { _ in #expect(Local.value == 7) }
    }
  }

  @Test func anErrorPassesThroughAndTheTurnIsGivenBack() async throws {
    await #expect(throws: SomeError.self) { try await withMainRunLoop { _ in throw SomeError() } }
    #expect(try await withMainRunLoop { _ in true })
  }

  // MARK: what is left behind

  @Test func eachPendingTaskIsAnIssue() async throws {
    let line = #line + 3
    await expectIssues("MainRunLoopTests.swift:\(line)", "MainRunLoopTests.swift:\(line + 1)") {
      try? await withMainRunLoop { loop in
        loop.perform {}.when(.idle)
        MainActor.perform(after: .seconds(1_000)) {}
      }
    }
  }

  @Test func whereTasksMayBeLeftTheyAreCancelledWithoutAnIssue() async throws {
    let left = try await withMainRunLoop(mayLeaveTasks: true) { loop in loop.perform {}.when(.idle) }
    #expect(left.state == .cancelled)
  }

  @Test func whatOthersHaveSentStaysThere() async throws {
    let tasks = Locked<[RunLoopTask]>([])
    // In a turn, because a task that is scheduled beside the body of another test counts as that test's.
    try await Turns.main.take()
    let before = await Self.scheduleOnMain()
    Turns.main.giveBack()
    try await withMainRunLoop { loop in
      let group = DispatchGroup()
      DispatchQueue.global().async(group: group) {
        let task = RunLoopTaskQueue.main.perform(after: .seconds(100_000)) {}
        tasks.withLock { $0.append(task) }
      }
      group.wait()
      #expect(tasks.withLock { $0.map(\.state) } == [.pending])
    }
    for task in tasks.withLock({ $0 }) + [before] { #expect(task.cancel(), "it was cancelled before") }
  }

  @MainActor private static func scheduleOnMain() -> RunLoopTask {
    MainActor.perform(after: .seconds(100_000)) {}
  }

  @Test func whatAsyncCodeAwaitsIsNone() async throws {
    let sleeping = try await withMainRunLoop { loop in
      let task = Task { try await RunLoopTaskQueue.main.clock.sleep(for: .seconds(100_000)) }
      #expect(loop.runUntil(timeout: .seconds(60)) { isAwaited(loop) })
      return task
    }
    sleeping.cancel()
    await #expect(throws: CancellationError.self) { try await sleeping.value }
  }

  // MARK: bad input

  @Test func insideItselfItIsAnIssue() async throws {
    try await expectIssues("inside itself") {
      try await withMainRunLoop { loop in
        var hasEnded = false
        Task {
          try? await withMainRunLoop { _ in recordBodyInsideBody() }
          hasEnded = true
        }
        #expect(loop.runUntil(timeout: .seconds(60)) { hasEnded })
      }
    }
    #expect(try await withMainRunLoop { _ in true })
  }

  @Test func aTaskThatHasOutlivedTheBodyMayCallIt() async throws {
    let task = try await withMainRunLoop { _ in
      Task { try await withMainRunLoop { _ in 1 } }
    }
    #expect(try await task.value == 1)
  }

  @Test func whoIsCancelledLeavesTheLine() async throws {
    let turns = Turns(atOnce: 1)
    try await turns.take()
    let second = Task { try await turns.take() }
    let third = Task { try await turns.take() }
    await Task.yield()
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    turns.giveBack()
    try await third.value
    turns.giveBack()
    let late = Task {
      while !Task.isCancelled { await Task.yield() }
      try await turns.take()
    }
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
    try await turns.take()
  }
}
