// Only on Linux, because the check of what compiles for Apple's platforms knows no test cases of XCTest.
#if os(Linux)
  import Foundation
  import RunLoopTasks
  import XCTest

  /// How to test code that uses the package, with XCTest.
  final class XCTestExamples: XCTestCase {
    func testAViewReloadsOncePerPass() {
      let view = RowsView()
      view.rows = ["one"]
      view.rows += ["two"]
      XCTAssertEqual(view.reloads, 0)
      RunLoop.current.runPass()
      XCTAssertEqual(view.reloads, 1)
    }

    @MainActor func testTheMainActorRunsATaskOfTheMainLoop() async throws {
      let label = ProgressLabel()
      MainActor.perform { label.show(100) }
      try await MainActor.run(when: .idle) {}
      XCTAssertEqual(label.texts, ["100 %"])
    }

    /// Not `@MainActor`, because XCTest on Linux supports that for `async` tests only.
    func testARetryPausesOnTheTaskClock() {
      MainActor.assumeIsolated {
        var attempts = 0
        Task {
          try await retry(on: RunLoopTaskQueue.main.clock) {
            attempts += 1
            return attempts == 3
          }
        }
        RunLoop.main.advance(by: .seconds(1))
        XCTAssertEqual(attempts, 2)
        RunLoop.main.advance(by: .seconds(2))
        XCTAssertEqual(attempts, 3)
      }
    }
  }
#endif
