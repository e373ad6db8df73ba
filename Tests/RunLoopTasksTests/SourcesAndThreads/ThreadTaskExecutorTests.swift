import Foundation
import RunLoopTasks
import Testing

/// A `RunLoopThread` as a task executor: nonisolated async code runs on it.
///
/// The suite has the last reference to its thread, which ends with it.
@Suite(.onOwnLoop) struct ThreadTaskExecutorTests {
  private let thread = RunLoopThread(name: "worker")

  @Test func nonisolatedCodeWithThePreferenceRunsOnTheThread() async throws {
    let own = try await thread.taskQueue.run { ThreadID.current }
    let threads = await withTaskExecutorPreference(thread) {
      async let child = threadOfNonisolatedCode()
      var threads = [ThreadID.current, await threadOfNonisolatedCode(), await child]
      await Task.yield()
      threads.append(.current)
      await withTaskGroup { group in
        for _ in 1...10 { group.addTask { await threadOfNonisolatedCode() } }
        for await thread in group { threads.append(thread) }
      }
      return threads
    }
    #expect(threads == Array(repeating: own, count: 14))
    let task = Task(executorPreference: thread) { await threadOfNonisolatedCode() }
    #expect(await task.value == own)
  }

  @Test func nonisolatedCodeOfTheThreadIsInTheIsolationOfItsActors() async {
    let actor = ThreadActor(thread)
    let number = await withTaskExecutorPreference(thread) {
      await actor.add(1)
      return actor.countOfNumbers
    }
    #expect(number == 1)
  }

  @Test func theThreadKnowsWhetherCodeIsIsolatedToIt() async throws {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    let thread = thread
    #expect(thread.isIsolatingCurrentContext() == false)
    #expect(try await thread.taskQueue.run { thread.isIsolatingCurrentContext() } == true)
    thread.stop()
    await thread.join()
    let late = Task(executorPreference: thread) { thread.isIsolatingCurrentContext() }
    #expect(await late.value == true)
  }

  /// It ends as the job that has the last reference to it ends, while another thread may still enqueue that job.
  @Test func aThreadMayEndWithItsLastJob() async {
    let ended = Counter()
    for _ in 1...100 {
      Task(executorPreference: RunLoopThread(name: "job")) {
        try? await Task.sleep(for: .milliseconds(1))
        ended.count()
      }
    }
    await eventually { ended.value == 100 }
  }

  @Test func nonisolatedCodeGoesOnAfterTheLoopHasEnded() async throws {
    let (thread, own) = (thread, try await thread.taskQueue.run { ThreadID.current })
    let isStopped = Counter()
    let task = Task(executorPreference: thread) {
      while isStopped.value == 0 { await Task.yield() }
      return [ThreadID.current, await threadOfNonisolatedCode()]
    }
    thread.stop()
    await thread.join()
    isStopped.count()
    #expect(await task.value == [own, own])
  }
}

@inline(never) private nonisolated func threadOfNonisolatedCode() async -> ThreadID { .current }

extension ThreadActor {
  nonisolated fileprivate var countOfNumbers: Int { assumeIsolated { $0.numbers.count } }
}
