import Foundation
import RunLoopTasks
import Testing

@Suite struct RecipeTests {
  @Test func aDescriptorIsReadOnTheThread() {
    let (pipe, thread, hasEnded) = (Pipe(), RunLoopThread(name: "reader"), DispatchSemaphore(value: 0))
    let (text, threads) = (Box(""), Box<Set<String?>>([]))
    readAll(of: pipe.fileHandleForReading, on: thread) { data in
      threads.withLock { _ = $0.insert(Thread.current.name) }
      text.withLock { $0 += String(decoding: data, as: UTF8.self) }
      if data.isEmpty { hasEnded.signal() }
    }
    for part in ["one ", "two ", "three"] { pipe.fileHandleForWriting.write(Data(part.utf8)) }
    pipe.fileHandleForWriting.closeFile()
    hasEnded.waitOrDie("the end of the pipe")
    #expect(text.value == "one two three")
    #expect(threads.value == ["reader"])
    thread.stop()
  }

  @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
  @Test func anActorClosesItsHandleOnItsThread() async {
    let notes = Log()
    let isClosed = DispatchSemaphore(value: 0)
    var connection: Connection? = Connection { note in
      notes(note)
      if note.hasPrefix("close") { isClosed.signal() }
    }
    await connection?.open()
    connection = nil
    elsewhere { isClosed.waitOrDie("the end of the actor") }
    #expect(notes.events == ["open on connection", "close on connection"])
  }

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
