import Foundation
import RunLoopTasks
import RunLoopTesting
import Testing

private struct SomeError: Error {}

struct LeftoverTests {
  @Test func eachPendingTaskIsAnIssue() async throws {
    let line = #line + 3
    await expectIssues("LeftoverTests.swift:\(line)", "LeftoverTests.swift:\(line + 1)", "never") {
      try? await runWithTrait {
        schedule { RunLoop.current.perform {}.when(.idle) }
        schedule { RunLoop.current.perform {}.after(.seconds(1_000)).coalesced(by: "never") }
        schedule { RunLoop.current.taskQueue.perform(forModes: [RunLoop.Mode("never")]) {} }
      }
    }
  }

  @Test func whatHasRunOrWasCancelledIsNone() async throws {
    try await runWithTrait {
      schedule { RunLoop.current.perform {}.when(.idle) }
      schedule { RunLoop.current.perform {}.cancel() }
      schedule { RunLoop.current.runPass() }
    }
  }

  @Test func whatOtherThreadsHaveSentIsNone() async throws {
    try await runWithTrait {
      let queue = currentQueue()
      await Task.detached {
        queue.perform {}
        queue.perform(coalescedBy: "key") {}
      }.value
      // Also if the loop has read it.
      schedule { #expect(RunLoop.current.taskQueue.debugDescription.hasPrefix("RunLoopTaskQueue, 2 pending")) }
    }
  }

  @Test func whatAsyncCodeAwaitsIsNone() async throws {
    let sleeping = Locked<Task<Void, any Error>?>(nil)
    try await runWithTrait {
      let queue = currentQueue()
      sleeping.withLock { $0 = Task { try await queue.clock.sleep(for: .seconds(1_000)) } }
      while queue.count == 0 { await Task.yield() }
    }
    await #expect(throws: CancellationError.self) { try await sleeping.withLock { $0! }.value }
  }

  @Test func aTaskThatATaskHasLeftIsOne() async throws {
    await expectIssues("LeftoverTests.swift:\(#line + 4)") {
      try? await runWithTrait {
        let queue = currentQueue()
        await Task.detached {
          _ = queue.perform { _ = RunLoop.current.perform {}.when(.idle) }
        }.value
        schedule { RunLoop.current.runTasks(of: .nextLoopBegan) }
      }
    }
  }

  @Test func theErrorOfTheTestPassesThrough() async {
    await #expect(throws: SomeError.self) { try await runWithTrait { throw SomeError() } }
    await expectIssues("left pending") {
      await #expect(throws: SomeError.self) {
        try await runWithTrait {
          schedule { RunLoop.current.perform {}.when(.idle) }
          throw SomeError()
        }
      }
    }
  }

  @Test func aReleaseThatSchedulesIsSeen() async {
    await expectIssues("a task", "its deinit") {
      try? await runWithTrait {
        schedule {
          let last = SchedulesAtItsEnd()
          RunLoop.current.perform { withExtendedLifetime(last) {} }.when(.idle).coalesced(by: "a task")
        }
      }
    }
  }
}

extension LeftoverTests {
  @Test func whereTasksMayBeLeftTheyAreCancelledWithoutAnIssue() async throws {
    let left = Locked<RunLoopTask?>(nil)
    try await runWithTrait(.ownRunLoop(mayLeaveTasks: true)) {
      schedule { left.withLock { $0 = RunLoop.current.perform {}.when(.idle) } }
    }
    #expect(left.withLock { $0?.state } == .cancelled)
  }

  @Test func inATestThatIsCancelledTheyAreCancelledWithoutAnIssue() async throws {
    let (hasBegun, begins) = AsyncStream.makeStream(of: RunLoopTask.self)
    let test = Task {
      try await runWithTrait {
        schedule { begins.yield(RunLoop.current.perform {}.when(.idle)) }
        while !Task.isCancelled { await Task.yield() }
      }
    }
    for await task in hasBegun {
      test.cancel()
      try await test.value
      #expect(task.state == .cancelled)
      return
    }
  }
}

private final class SchedulesAtItsEnd {
  deinit { RunLoop.current.perform {}.when(.idle).coalesced(by: "its deinit") }
}

/// Async code has no `RunLoop.current`.
private func schedule(_ body: () -> Void) { body() }
private func schedule<T>(_ body: () -> T) { _ = body() }

private func currentQueue() -> RunLoopTaskQueue { RunLoop.current.taskQueue }
