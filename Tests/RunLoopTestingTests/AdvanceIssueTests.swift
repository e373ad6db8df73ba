import Foundation
import RunLoopTasks
import Testing

@testable import RunLoopTesting

struct AdvanceIssueTests {
  /// Async code waits for the loop, and cannot go on once it may, because its executor is blocked.
  @Test func anAdvanceThatGivesUpIsAnIssue() async throws {
    let (worker, mayGoOn, blocked) = (RunLoopThread(name: "worker"), DispatchSemaphore(value: 0), Count())
    for _ in 1...20_000 { letAdvancesBelongToTests() }  // as many tests would
    await expectIssues("RunLoop.advance(by:)") {
      try? await runWithTrait {
        let queue = currentQueue()
        let caller = Task(executorPreference: worker) { try await queue.run {} }
        while queue.count == 0 { await Task.yield() }
        worker.taskQueue.perform {
          blocked.add()
          mayGoOn.wait()
        }
        while blocked.value == 0 { await Task.yield() }
        advance()
        mayGoOn.signal()
        try await caller.value
      }
    }
    worker.stop()
  }
}

struct AdvanceOfAnotherLoopTests {
  /// No test is current in a task of another loop, and nobody knows at first that the loop is this test's.
  @Test(.timeLimit(.minutes(5))) func theCodeOfTheTestIsAwaited() async throws {
    letAdvancesBelongToTests()
    for _ in 1...3 {
      let (worker, posts) = (RunLoopThread(name: "worker"), Count())
      let queue = worker.taskQueue
      Task {
        for _ in 1...30 { await Task.detached {}.value }
        queue.perform { posts.add() }
      }
      try await queue.run { advance() }
      #expect(posts.value == 1)
      worker.stop()
    }
  }
}

/// Async code has no `RunLoop.current`.
private func currentQueue() -> RunLoopTaskQueue { RunLoop.current.taskQueue }
private func advance() { RunLoop.current.advance(by: .seconds(1)) }
