import Foundation
import RunLoopTasks
import Testing

/// A `RunLoopThread` as a task executor: nonisolated async code runs on it.
///
/// The suite has the last reference to its thread, which ends with it.
@Suite struct ThreadTaskExecutorTests {
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

  @Test func actorsOfTheThreadAndNonisolatedCodeRunOneAfterTheOther() async throws {
    let (actor, own) = (ThreadActor(thread), try await thread.taskQueue.run { ThreadID.current })
    let (inside, overlaps) = (Box(false), Counter())
    @Sendable func step() {
      if inside.value || ThreadID.current != own { overlaps.count() }
      inside.value = true
      inside.value = false
    }
    await withTaskGroup { group in
      for number in 0..<200 {
        group.addTask(executorPreference: number % 2 == 0 ? thread : nil) {
          if number % 2 == 0 { step() }
          await actor.add(number, step)
          if number % 2 == 0 { step() }
        }
      }
    }
    #expect(await actor.numbers.sorted() == Array(0..<200))
    #expect(overlaps.value == 0)
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
    await thread.ended()
    let late = Task(executorPreference: thread) { thread.isIsolatingCurrentContext() }
    #expect(await late.value == true)
  }

  /// The jobs of the tasks wait until the job that runs the loop has returned.
  @Test func aRunNestedInNonisolatedCodeServesNoJobs() async {
    let (thread, log) = (thread, Log())
    let tasks = await Task(executorPreference: thread) {
      log("{")
      let tasks = (1...3).map { number in Task(executorPreference: thread) { log("job \(number)") } }
      runTask(log)
      log("}")
      return tasks
    }.value
    for task in tasks { await task.value }
    #expect(log.events == ["{", "task", "}", "job 1", "job 2", "job 3"])
  }

  @Test func nonisolatedCodeGoesOnAfterTheLoopHasEnded() async throws {
    let (thread, own) = (thread, try await thread.taskQueue.run { ThreadID.current })
    let isStopped = Counter()
    let task = Task(executorPreference: thread) {
      while isStopped.value == 0 { await Task.yield() }
      return [ThreadID.current, await threadOfNonisolatedCode()]
    }
    thread.stop()
    await thread.ended()
    isStopped.count()
    #expect(await task.value == [own, own])
  }
}

@inline(never) private nonisolated func threadOfNonisolatedCode() async -> ThreadID { .current }

/// Runs the loop until a task has run.
private func runTask(_ log: Log) {
  RunLoop.current.perform { log("task") }.when(.nextLoopBegan)
  RunLoop.current.runUntilTasksFinish()
}

extension ThreadActor {
  nonisolated fileprivate var countOfNumbers: Int { assumeIsolated { $0.numbers.count } }

  fileprivate func add(_ number: Int, _ step: () -> Void) {
    step()
    add(number)
  }
}
