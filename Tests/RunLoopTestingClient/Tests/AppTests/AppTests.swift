import App
import Foundation
import RunLoopTasks
import RunLoopTesting
import Testing

@Test func searchesOnceTheUserHasPaused() async throws {
  try await withMainRunLoop { loop in
    let model = SearchModel { ["\($0)!"] }
    model.text = "s"
    model.text = "swift"
    loop.advance(by: .milliseconds(300))
    #expect(loop.runUntil(timeout: .seconds(60)) { model.results == ["swift!"] })
  }
}

@Suite(.ownRunLoop) struct OwnLoops {
  @Test(arguments: 1...50) func aDelayIsExact(_ seconds: Int) {
    var hasRun = false
    RunLoop.current.perform { hasRun = true }.after(.seconds(1_000 * seconds))
    RunLoop.current.advance(by: .seconds(1_000 * seconds - 500))
    #expect(!hasRun)
    RunLoop.current.advance(by: .seconds(500))
    #expect(hasRun)
  }

  @Test func theMainThreadIsAnotherOne() { #expect(!Thread.isMainThread) }
}
