import Foundation
import RunLoopTasks
import Testing

@testable import RunLoopTesting

/// Tests with loops of their own whose bodies belong to the main actor.
struct MainLoopUseTests {
  private let advice = "use withMainRunLoop"

  @Test func schedulingOnTheMainLoopIsAnIssue() async {
    let tasks = Locked<[RunLoopTask]>([])
    await expectIssues(advice) {
      try? await runOnMainActor {
        let task = MainActor.perform(after: .seconds(100_000)) {}
        tasks.withLock { $0.append(task) }
      }
    }
    await expectIssues(advice) {
      try? await runOnMainActor {
        tasks.withLock { $0.append(RunLoop.main.perform {}.after(.seconds(100_000))) }
      }
    }
    for task in tasks.withLock({ $0 }) { task.cancel() }
  }

  @Test func runningTheMainLoopIsAnIssue() async {
    await expectIssues(advice) {
      try? await runOnMainActor {
        schedule { RunLoop.main.runPass() }
      }
    }
  }

  @Test func callsOfTheMainActorAreNone() async throws {
    try await runOnMainActor { MainActor.assertIsolated() }
    try await runWithTrait {
      schedule { RunLoop.current.perform {}.cancel() }
      await MainActor.run { _ = MainActor.perform {}.cancel() }
    }
  }

  @Test func whatOtherTasksAndThreadsDoIsNone() async throws {
    try await runOnMainActor {
      await Task { _ = MainActor.perform {}.cancel() }.value
      await Task.detached { _ = MainActor.perform {}.cancel() }.value
    }
    try await runWithTrait { schedule { MainActor.perform {}.cancel() } }
  }

  @Test func aTestThatIsCancelledHasNone() async throws {
    try await Task {
      try await runOnMainActor {
        _ = MainActor.perform {}.cancel()
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }.value
  }
}

/// Runs the body of a test with a loop of its own. It doesn't disturb bodies of `withMainRunLoop` in other tests.
private func runOnMainActor(_ body: @MainActor @Sendable () async throws -> Void) async throws {
  try await runWithTrait { @MainActor in
    try await Turns.main.take()
    defer { Turns.main.giveBack() }
    try await body()
  }
}

/// Async code has no `RunLoop.current`.
private func schedule<T>(_ body: () -> T) { _ = body() }
