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

#if compiler(>=6.3)
  @Suite(.ownRunLoop) struct Cancelled {
    @Test func cancelsItself() throws {
      RunLoop.current.perform {}.when(.idle)
      try Test.cancel("not now")
    }

    @Test(arguments: 1...20) func cancelsItsCase(_ number: Int) async throws {
      await Task.yield()
      if number % 2 == 0 { try Test.cancel("not now") }
      await Task.yield()
      #expect(!Task.isCancelled)
    }

    @Test func cancelsItselfInTheMainLoop() async throws {
      try await withMainRunLoop { loop in
        SearchModel { _ in [] }.text = "swift"
        try Test.cancel("not now")
      }
    }
  }
#endif
