import Foundation
import RunLoopTasks
import Testing

/// Actors whose executor is a `RunLoopThread`.
@Suite struct ThreadActorTests {
  @Test func anActorRunsOnItsThread() async throws {
    let thread = RunLoopThread(name: "worker")
    let actor = ThreadActor(thread)
    let id = try await thread.taskQueue.run { ThreadID.current }
    for _ in 1...10 {
      #expect(await actor.currentThread == id)
      await Task.yield()
    }
    #expect(await actor.staysOnOneThread())
    try await thread.taskQueue.run {
      actor.assumeIsolated { $0.preconditionIsolated() }
    }
    thread.stop()
  }

  @Test func anActorRunsTheJobsOfManyTasksOneAfterAnother() async {
    let actor = ThreadActor(RunLoopThread(name: "worker"))
    await withTaskGroup { group in
      for number in 0..<1_000 { group.addTask { await actor.add(number) } }
    }
    #expect(await actor.numbers.sorted() == Array(0..<1_000))
  }

  @Test func cancelAllDoesNotCancelJobs() async {
    let thread = RunLoopThread(name: "worker")
    let actor = ThreadActor(thread)
    await withTaskGroup { group in
      for number in 0..<1_000 {
        group.addTask { await actor.add(number) }
        thread.taskQueue.cancelAll()
      }
    }
    #expect(await actor.numbers.count == 1_000)
  }
}

extension ThreadActor {
  fileprivate var currentThread: ThreadID {
    calls += 1
    return .current
  }

  /// Whether the actor is on one thread before and after suspensions.
  fileprivate func staysOnOneThread() async -> Bool {
    var isSame: Set<Bool> = []
    let own = ThreadID.current
    for _ in 0..<10 {
      isSame.insert(ThreadID.current == own)
      await Task.yield()
      await leave()
    }
    return isSame == [true]
  }

  nonisolated private func leave() async {}
}
