import Foundation
import RunLoopTasks
import Testing

@Suite struct ActorRecipeTests {
  @Test func anActorSavesOnceWhenItsLoopIsIdle() async throws {
    let pages = Pages()
    for number in 1...3 { await pages.add("\(number)") }
    #expect(await pages.saves == [])
    try await pages.taskQueue.run { _ = RunLoop.current.advance(by: .seconds(100)) }
    #expect(await pages.saves == [3])
  }

  @Test func aDescriptorIsReadIntoTheActor() async {
    let (pipe, log) = (Pipe(), Log())
    let reader = Reader { log($0) }
    await reader.start(pipe.fileHandleForReading)
    pipe.fileHandleForWriting.write(Data("text".utf8))
    await eventually { log.events == ["text on reader"] }
    pipe.fileHandleForWriting.closeFile()
    await eventually { Set(log.events) == ["text on reader", " on reader", "closed"] }
    await reader.stop()
  }

  @Test func theReadingStopsBeforeTheEnd() async {
    let (pipe, log) = (Pipe(), Log())
    let reader = Reader { log($0) }
    await reader.start(pipe.fileHandleForReading)
    await reader.stop()
    await eventually { log.events == ["closed"] }
    await reader.stop()
    #expect(log.events == ["closed"])
  }

  @Test func theReadingEndsWithTheActor() async {
    let (pipe, log) = (Pipe(), Log())
    var reader: Reader? = Reader { log($0) }
    await reader?.start(pipe.fileHandleForReading)
    reader = nil
    await eventually { log.events == ["closed"] }
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

  /// Async code that awaits each value sends no second one meanwhile.
  @Test func atMostOneValueWaits() async throws {
    let (thread, most) = (RunLoopThread(name: "one"), Box(0))
    for _ in 1...20 {
      most.withLock { $0 = max($0, thread.taskQueue.count) }
      try await thread.taskQueue.run {}
    }
    #expect(most.value <= 1)
    thread.stop()
  }
}
