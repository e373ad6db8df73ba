// These tests fail. `.ci/check-testing` compares their issues with those of expected.txt.
import App
import Foundation
import RunLoopTasks
import RunLoopTesting
import Testing

@Suite(.ownRunLoop) struct Failing {
  @Test func leavesATask() { RunLoop.current.perform {}.when(.idle) }

  @Test(.ownRunLoop(timeLimit: .milliseconds(200))) func hangs() {
    RunLoop.current.perform {}.when(.idle).forModes(RunLoop.Mode("modal"))
    RunLoop.current.runUntil { false }
  }

  @Test(.ownRunLoop(timeLimit: .milliseconds(200))) func blocks() { DispatchSemaphore(value: 0).wait() }

  /// It returns after its end, and nothing comes of that.
  @Test(.ownRunLoop(timeLimit: .milliseconds(200)), arguments: ["an argument of its own, too long to be inline"])
  func comesLate(_ text: String) {
    Thread.sleep(forTimeInterval: 1.5)
    #expect(text.hasPrefix("an argument"))
  }

  @Test(.ownRunLoop(timeLimit: .seconds(60))) func lastsLonger() { Thread.sleep(forTimeInterval: 3) }

  @Test(.timeLimit(.minutes(1)), .ownRunLoop(timeLimit: .milliseconds(200))) func awaits() async throws {
    try await Task.sleep(for: .seconds(1_000_000))
  }

  @Test func throwsAnError() throws { throw CocoaError(.fileNoSuchFile) }

  @Test(arguments: 1...20) func theOthersGoOn(_ number: Int) { #expect(!RunLoop.current.runPass()) }
}

@Test func leavesATaskOfTheMainLoop() async throws {
  try await withMainRunLoop { _ in
    SearchModel { _ in [] }.text = "swift"
  }
}

@Test func callsItselfInside() async throws {
  try await withMainRunLoop { loop in
    var isDone = false
    Task {
      defer { isDone = true }
      try await withMainRunLoop { _ in }
    }
    #expect(loop.runUntil(timeout: .seconds(60)) { isDone })
  }
}
