import Foundation
import RunLoopTasks
import Testing

/// The recipes of the documentation that none of its own samples runs.
@Suite(.onOwnLoop) struct RecipeTests {
  @Test func tasksOfOneOwnerAreCancelledTogether() {
    let log = Log()
    var tasks = OwnedTasks()
    let all = (1...3).map { _ in RunLoop.current.perform { log("owned") }.when(.currentLoopEnded) }
    for task in all { tasks.add(task) }
    let other = RunLoop.current.perform { log("other") }.when(.currentLoopEnded)
    tasks.cancelAll()
    RunLoop.current.runPass()
    #expect(log.events == ["other"])
    #expect(all.allSatisfy { $0.state == .cancelled })
    #expect(other.state == .finished)
  }
}

extension TestsOfTheMainLoop {
  @Suite @MainActor struct Recipes {
    @Test func aSequenceIsDebounced() async throws {
      var seen = try await searchesOfADebounce()
      // `advance(by:)` waits half a second for Swift's shared threads, which other tests may use up.
      for _ in 1...2 where seen != [[], ["swift"], ["swift"]] { seen = try await searchesOfADebounce() }
      #expect(seen == [[], ["swift"], ["swift"]])
    }

    /// Types a word with pauses that are too short for a search, and then waits for one.
    ///
    /// - Returns: the searches after the word, after the wait and at the end.
    private func searchesOfADebounce() async throws -> [[String]] {
      let (values, input) = AsyncStream.makeStream(of: String.self)
      var (searches, seen): ([String], [[String]]) = ([], [])
      let clock = RunLoopTaskQueue.main.clock
      let searching = Task { try await debounce(values, for: .seconds(3), on: clock) { searches.append($0) } }
      try await MainActor.run(when: .idle) {
        for text in ["s", "sw", "swift"] {
          input.yield(text)
          RunLoop.main.advance(by: .seconds(2))
        }
        seen.append(searches)
        RunLoop.main.advance(by: .seconds(1))
        seen.append(searches)
        input.finish()
      }
      try await searching.value
      return seen + [searches]
    }
  }
}

/// Several tasks of one owner, cancelled together.
struct OwnedTasks {
  private var tasks: [RunLoopTask] = []
  private var limit = 16

  mutating func add(_ task: RunLoopTask) {
    if tasks.count >= limit {
      tasks.removeAll { $0.state != .pending }
      limit = max(16, 2 * tasks.count)
    }
    tasks.append(task)
  }

  mutating func cancelAll() {
    for task in tasks { task.cancel() }
    tasks = []
  }
}

/// A debounce of an asynchronous sequence: calls `perform` once no further value has come for the interval.
@MainActor func debounce<Value: Sendable>(
  _ values: some AsyncSequence<Value, Never>, for interval: Duration, on clock: RunLoopClock,
  _ perform: @escaping (Value) -> Void
) async throws {
  var waiting: Task<Void, any Error>?
  for await value in values {
    waiting?.cancel()
    waiting = Task {
      try await clock.sleep(for: interval)
      perform(value)
    }
  }
  try await waiting?.value
}
