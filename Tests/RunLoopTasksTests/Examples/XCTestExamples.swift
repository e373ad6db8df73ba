// The sample of the article "Testing" that needs XCTest, which `.ci/run-samples` does not run. `.ci/check-samples` compares
// them. Only on Linux, because the check of what compiles for Apple's platforms knows no test cases of XCTest.
#if os(Linux)
  import Foundation
  import RunLoopTasks
  import RunLoopVirtualTime
  import XCTest

  func retry(
    on clock: any Clock<Duration>,
    isolation: isolated (any Actor)? = #isolation, _ succeeds: () -> Bool
  ) async throws {
    var pause = Duration.zero
    while !succeeds() {
      pause += .seconds(1)
      try await clock.sleep(for: pause)
    }
  }

  nonisolated final class RetryTests: XCTestCase {
    override func tearDown() {
      RunLoopTaskQueue.main.cancelAll()  // in a hosted test, by key
    }

    func testThreeRequestsReloadOnce() {
      MainActor.assumeIsolated {
        var reloads = 0
        for _ in 1...3 {
          MainActor.perform(when: .currentLoopEnded, coalescedBy: "reload") {
            reloads += 1
          }
        }
        RunLoop.main.runPass()
        XCTAssertEqual(reloads, 1)
      }
    }

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
