// These tests fail, and those of `Hanging` stop their process. `.ci/check-testing` compares their issues with those of
// expected.txt.
import App
import Foundation
import RunLoopTasks
import RunLoopTesting
import Testing

@Suite(.ownRunLoop) struct Failing {
  @Test func leavesATask() { RunLoop.current.perform {}.when(.idle) }

  @Test(.ownRunLoop(timeLimit: .seconds(60))) func lastsLonger() { Thread.sleep(forTimeInterval: 3) }

  @Test @MainActor func isOfTheMainActor() { RunLoop.main.runPass() }

  @Test func throwsAnError() throws { throw CocoaError(.fileNoSuchFile) }

  @Test(arguments: 1...20) func theOthersGoOn(_ number: Int) { #expect(!RunLoop.current.runPass()) }

  @Test func leavesATaskOfTheMainLoop() async throws {
    try await withMainRunLoop { _ in
      SearchModel { _ in [] }.text = "swift"
    }
  }

  /// The closure that another loop runs is in no test.
  @Test func anotherLoopAdvancesInVain() async throws {
    let thread = RunLoopThread(name: "worker")
    try await thread.taskQueue.run {
      RunLoop.current.perform { Task.detached { while !thread.isStopping { await Task.yield() } } }.when(.idle)
      RunLoop.current.advance(by: .zero)
    }
    thread.stop()
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
}

@Suite(.ownRunLoop(timeLimit: .milliseconds(200))) struct Hanging {
  @Test func sleeps() {
    RunLoop.current.perform {}.when(.idle).forModes(RunLoop.Mode("modal"))
    RunLoop.current.runUntil { false }
  }

  @Test(arguments: ["an argument"]) func blocks(_ text: String) { DispatchSemaphore(value: 0).wait() }

  @Test(.timeLimit(.minutes(1))) func awaits() async throws { try await Task.sleep(for: .seconds(1_000_000)) }

  @Test func hangsInTheMainLoop() async throws {
    try await withMainRunLoop(timeLimit: .milliseconds(200)) { loop in loop.runUntil { false } }
  }
}
