import Foundation
import RunLoopTasks
import Testing

/// The jobs of actors whose executor is a `RunLoopThread`.
///
/// The last reference to a thread ends it, and a suite has the last reference to its thread.
@Suite(.onOwnLoop) struct ThreadJobTests {
  private let actor = ThreadActor()
  private var thread: RunLoopThread { actor.thread }

  @Test(arguments: [false, true]) func anActorStaysOnItsThreadWhoseLoopMayHaveEnded(isLate: Bool) async throws {
    let own = try await thread.taskQueue.run { [actor] in
      actor.assumeIsolated { $0.preconditionIsolated() }
      return ThreadID.current
    }
    if isLate {
      thread.stop()
      await thread.join()
    }
    #expect(await actor.threads(afterSuspensions: 50) == [own])
  }

  @Test(arguments: [false, true])
  func anActorRunsTheJobsOfManyTasksAlthoughTasksAreCancelled(areTasksCancelled: Bool) async {
    await withTaskGroup { group in
      for number in 0..<1_000 {
        group.addTask { await actor.add(number) }
        if areTasksCancelled { thread.taskQueue.cancelAll() }
      }
    }
    #expect(await actor.numbers.sorted() == Array(0..<1_000))
  }

  @Test(arguments: [false, true]) func thousandsOfJobsRunInOrder(isLate: Bool) async {
    let (actor, ran) = (await ThreadActor.make(isLate: isLate), Counter())
    let misplaced = await actor.enqueueJobs(20_000, ran)
    await eventually { ran.value == 20_000 }
    #expect(misplaced.value == 0)
  }

  // MARK: the end of the loop

  /// Each method is suspended at another point when the thread stops.
  @Test func suspendedMethodsResumeOnTheThreadAlthoughItStops() async {
    for round in 1...20 {
      let actors = (1...5).map { _ in ThreadActor(RunLoopThread(name: "worker")) }
      let methods = actors.flatMap { actor in
        (1...5).map { number in Task { await actor.threads(afterSuspensions: number * 10) } }
      }
      if round % 2 == 0 { await Task.yield() }
      for actor in actors { actor.thread.stop() }
      for method in methods { #expect(await method.value.count == 1) }
    }
  }

  // MARK: join() async

  @Test func joinReturnsOnceTheLoopHasEnded() async {
    let (thread, hasEnded) = (thread, Box(false))
    let waiting = (1...10).map { number in
      Task(executorPreference: number.isMultiple(of: 2) ? thread : nil) {
        await thread.join()
        hasEnded.value = true
        return thread.taskQueue.perform {}.state
      }
    }
    for _ in 1...20 { await Task.yield() }
    #expect(!hasEnded.value)  // `join` does not stop the thread.
    thread.stop()
    for task in waiting { #expect(await task.value == .cancelled) }
    await thread.join()  // returns at once
  }
}

extension ThreadActor {
  /// The different threads on which the actor is, before and after suspensions.
  fileprivate func threads(afterSuspensions count: Int) async -> [ThreadID] {
    var threads = [ThreadID.current]
    for _ in 1...count {
      await Task.yield()
      await leave()
      calls += 1
      if !threads.contains(.current) { threads.append(.current) }
    }
    return threads
  }

  nonisolated private func leave() async {}

  /// Enqueues jobs, and returns the number of those that have not run in their place.
  fileprivate func enqueueJobs(_ count: Int, _ ran: Counter) -> Counter {
    let misplaced = Counter()
    for number in 1...count {
      Task {
        calls += 1
        if ran.count() != number { misplaced.count() }
      }
    }
    return misplaced
  }
}
