// Only on Linux, because the check of what compiles for Apple's platforms knows no test cases of XCTest.
#if os(Linux)
  import Foundation
  import RunLoopTasks
  import RunLoopVirtualTime
  import XCTest

  /// The sample of the article "Testing" that needs XCTest, which `.ci/run-samples` does not run.
  final class XCTestExamples: XCTestCase {
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
        let attemptsBefore = attempts
        RunLoop.main.advance(by: .seconds(2))
        XCTAssertEqual([attemptsBefore, attempts], [2, 3])
      }
    }
  }

  /// Tries until it succeeds, after pauses of 1, 2, 3 … seconds.
  private func retry(
    on clock: any Clock<Duration>, isolation: isolated (any Actor)? = #isolation, _ succeeds: () -> Bool
  ) async throws {
    var pause = Duration.zero
    while !succeeds() {
      pause += .seconds(1)
      try await clock.sleep(for: pause)
    }
  }
#endif
