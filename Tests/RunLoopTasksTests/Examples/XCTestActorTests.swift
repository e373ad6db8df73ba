// Only on Linux, because the check of what compiles for Apple's platforms knows no test cases of XCTest.
#if os(Linux)
  import Foundation
  import RunLoopTasks
  import RunLoopVirtualTime
  import XCTest

  /// With XCTest, an actor on a thread is tested as with Swift Testing: its thread's time passes in a task of that thread.
  final class XCTestActorTests: XCTestCase {
    func testATaskOfTheThreadAdvancesItsClock() async throws {
      let draft = Draft()
      await draft.edit()
      try await draft.thread.taskQueue.run { _ = RunLoop.current.advance(by: .seconds(3_000)) }
      let savesBefore = await draft.saves
      try await draft.thread.taskQueue.run { _ = RunLoop.current.advance(by: .seconds(600)) }
      let saves = await draft.saves
      XCTAssertEqual([savesBefore, saves], [0, 1])
      draft.thread.stop()
    }
  }

  private actor Draft {
    nonisolated let thread = RunLoopThread(name: "draft")
    private(set) var saves = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    func edit() {
      RunLoop.current.perform(after: .seconds(3_600), coalescedBy: OwnerKey(self)) { self.saves += 1 }
    }
  }
#endif
