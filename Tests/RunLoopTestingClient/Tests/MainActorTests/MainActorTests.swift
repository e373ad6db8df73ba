// The default isolation of this target is the main actor.
import App
import Foundation
import RunLoopTasks
import RunLoopTesting
import Testing

struct MainActorTests {
  private let model = SearchModel { [$0, $0] }

  @Test(arguments: ["a", "b"]) func searches(_ text: String) async throws {
    try await withMainRunLoop { loop in
      model.text = text
      loop.advance(by: .seconds(1))
      #expect(loop.runUntil(timeout: .seconds(60)) { model.results == [text, text] })
    }
  }

  /// If it is not `async`, it runs on the main actor, too.
  @Test(.ownRunLoop) @concurrent func aTestOfNoActorMayHaveALoop() async { useTheLoop() }

  nonisolated private func useTheLoop() {
    #expect(!Thread.isMainThread)
    RunLoop.current.perform {}.when(.idle)
    #expect(RunLoop.current.runPass())
  }
}
