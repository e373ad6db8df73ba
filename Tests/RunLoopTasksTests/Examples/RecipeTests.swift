import Foundation
import RunLoopTasks
import Testing

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

  @Test func twoKindsOfWorkOfOneOwnerBothRun() {
    let log = Log()
    for _ in 1...2 {
      RunLoop.current.perform { log("reload") }.coalesced(by: OwnedKey(owner: log, kind: .reload))
      RunLoop.current.perform { log("redraw") }.coalesced(by: OwnedKey(owner: log, kind: .redraw))
    }
    RunLoop.current.runPass()
    #expect(log.events == ["reload", "redraw"])
  }

  /// The next owner may get the address of the first, but is another key.
  @Test func aThrottleKeepsItsOwner() {
    weak var first: Log?
    var calls = 0
    for _ in 1...2 {
      let owner = Log()
      first = first ?? owner
      RunLoop.current.perform { calls += 1 }
        .coalesced(by: OwnedKey(owner: owner, kind: .redraw), atMostEvery: .seconds(1_000))
      RunLoop.current.runPass()
    }
    #expect(calls == 2)
    #expect(first != nil)
    RunLoop.current.advance(by: .seconds(2_000))
    #expect(first == nil)
  }

  @Test func aStreamArrivesInOneBatch() {
    let batches = Box<[[Int]]>([])
    let source = RunLoopSource<Int> { batches.add([$0]) }
    RunLoop.current.add(source, forMode: .default)
    elsewhere {
      let isSent = DispatchSemaphore(value: 0)
      let (rows, input) = AsyncStream.makeStream(of: Int.self)
      for row in 1...100 { input.yield(row) }
      input.finish()
      Task.detached {
        await follow(rows, into: source)
        isSent.signal()
      }
      isSent.waitOrDie("the end of the stream")
    }
    RunLoop.current.runPass()
    #expect(batches.value == [Array(1...100)])
    source.invalidate()
  }

  @Test func atMostAHundredCommandsWait() {
    let (most, isOver) = (Box(0), Box(false))
    sendInHundreds(upTo: 1_000, on: .current) { waiting in
      most.withLock { $0 = max($0, waiting) }
    } atEnd: {
      isOver.value = true
    }
    RunLoop.current.runUntil { isOver.value }
    #expect(most.value <= 100)
  }
}

extension TestsOfTheMainLoop {
  @Suite @MainActor struct Recipes {
    @Test func aSourceEndsWithItsOwner() {
      var feed: Feed? = Feed()
      feed?.start()
      let source = feed?.source
      source?.send(1)
      source?.send(2)
      RunLoop.main.runPass()
      #expect(feed?.numbers == [1, 2])
      weak let owner = feed
      feed = nil
      #expect(owner == nil)
      #expect(source?.isValid == false)
      #expect(source?.send(3) == false)
    }

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

/// Owners are keys themselves.
extension Log: Hashable {
  static func == (left: Log, right: Log) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
