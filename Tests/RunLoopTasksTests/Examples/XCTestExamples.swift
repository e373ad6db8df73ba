// Only on Linux, because the check of what compiles for Apple's platforms knows no test cases of XCTest.
#if os(Linux)
  import Foundation
  import RunLoopTasks
  import XCTest

  /// How to test code that uses the package, with XCTest, whose waits run tasks, too.
  final class XCTestExamples: XCTestCase {
    func testAViewReloadsOncePerPass() {
      let view = RowsView()
      view.rows = ["one"]
      view.rows += ["two"]
      XCTAssertEqual(view.reloads, 0)
      RunLoop.current.runPass()
      XCTAssertEqual(view.reloads, 1)
    }

    func testASearchBeginsOnceTheUserHasStoppedTyping() {
      let field = SearchField()
      field.text = "swift"
      RunLoop.current.advance(by: .milliseconds(300))
      XCTAssertEqual(field.searches, ["swift"])
    }

    func testACacheEmptiesItselfDuringAWait() {
      let cache = SquareCache()
      XCTAssertEqual(cache.square(12), 144)
      let isIdle = expectation(description: "the loop is idle")
      RunLoop.current.perform { isIdle.fulfill() }.when(.idle)
      wait(for: [isIdle], timeout: 60)
      XCTAssertTrue(cache.squares.isEmpty)
    }

    func testAnActorRunsOnItsThread() async {
      let adder = Adder()
      let (sum, isOnItsThread) = await (adder.add([1, 2]), adder.isOnItsThread)
      XCTAssertEqual(sum, 3)
      XCTAssertTrue(isOnItsThread)
      adder.stop()
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
