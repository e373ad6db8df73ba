import Foundation
import Testing

#if os(macOS) || os(Linux)  // Other platforms cannot start processes.

  /// The main loop of a program whose `main` is not `async`.
  @Suite(.onOwnLoop) struct MainLoopTests {
    @Test(arguments: [
      ("timings", ["currentLoopEnded", "nextLoopBegan", "idle", "true", "false"]),
      ("other threads", ["at the end, from RunLoop.main", "from the main queue"]),
      ("MainActor.perform", ["true", "1 reload"]),
      ("replaced on another thread", ["0 released, 1 pending", "true"]),
      ("time", ["first", "second", "false", "search", "true", "woken", "true"]),
      ("clock", ["40 saves, 0 pending"]),
      ("yields", ["before", "date", "job", "end"]),
      ("yields beside a wake-up", ["before", "date", "job", "end"]),
      ("yields beside a timer", ["before", "date", "job", "end"]),
      ("passes", ["2", "2", "3", "4", "1", "3", "block", "3"]),
      ("MainActor.run", ["true", "true"]),
      ("MainActor.run with an order", [Int.min, 0, 3, .max].map { "\($0)" }),
      ("async", ["1 pending", "failure(Swift.CancellationError())", "7"]),
      ("cancelling", ["released", "cancelled"]),
      ("cancelling first", ["released", "cancelled"]),
      ("sleeping", ["woken"]),
      ("dispatch", ["{", "task", "}"]),
      ("ends", ["before: cancelled", "after: cancelled", "CancellationError()"]),
    ])
    func theMainLoopRunsTasks(_ name: String, events: [String]) throws {
      let result = try Program.run("MainLoopProbe", [name])
      #expect(result.lines == events)
      #expect(result.status == 0, "\(result.error)")
      if name != "ends" { #expect(result.error.isEmpty, "\(result.error)") }
    }

    #if !canImport(Darwin)
      @Test func droppedTasksOfAMainLoopWithoutItsThreadAreReportedOnce() throws {
        let result = try Program.run("MainLoopProbe", ["ends"])
        #expect(result.error.hasPrefix("RunLoopTasks: a task of the main run loop was dropped"), "\(result.error)")
        #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
      }
    #endif
  }

#endif
