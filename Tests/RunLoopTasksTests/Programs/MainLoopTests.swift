import Foundation
import Testing

#if os(macOS) || os(Linux)  // Other platforms cannot start processes.

  /// The main loop of a program whose `main` is not `async`.
  @Suite(.onOwnLoop) struct MainLoopTests {
    @Test(arguments: [
      ("timings", ["currentLoopEnded", "nextLoopBegan", "idle", "true", "false"]),
      ("replaced on another thread", ["0 released, 1 pending", "true"]),
      ("time", ["first", "second", "false", "search", "true", "woken"]),
      ("clock", ["40 saves, 0 pending"]),
      ("slices", ["0 pending"]),
      ("slices beside nested runs", ["0 late"]),
      ("clock in a task", ["20 saves"]),
      ("blocked threads", ["true"]),
      ("yields", ["before", "date", "job", "end"]),
      ("yields beside a wake-up", ["before", "date", "job", "end"]),
      ("yields beside a timer", ["before", "date", "job", "end"]),
      ("MainActor.run with an order", [Int.min, 0, 3, .max].map { "\($0)" }),
      ("cancelling", ["released", "cancelled"]),
      ("cancelling first", ["released", "cancelled"]),
      ("dispatch", ["{", "task", "}"]),
      ("ends", ["before: cancelled", "after: cancelled", "CancellationError()"]),
    ])
    func theMainLoopRunsTasks(_ name: String, events: [String]) throws {
      var result = try Program.run("MainLoopProbe", [name])
      // `advance(by:)` waits half a second for Swift's shared threads, which another program may use up.
      for _ in 1...9 where result.lines != events && (name.hasPrefix("clock") || name.hasPrefix("yields")) {
        result = try Program.run("MainLoopProbe", [name])
      }
      #expect(result.lines == events)
      #expect(result.status == 0, "\(result.error)")
      if name != "ends" { #expect(result.error.isEmpty, "\(result.error)") }
    }

    #if !canImport(Darwin)
      private static let launcher = "/usr/bin/taskset"

      /// As in a container with fewer processors than the machine has. Dispatch starts fewer threads then.
      @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: launcher)))
      func advancingNeedsOnlyTheProcessorsOfTheProcess() throws {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let list = try #require(status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:\t") })
        let processor = try #require(list.split(separator: "\t").last?.prefix { $0.isNumber })
        let launcher = [Self.launcher, "-c", String(processor)]
        // As above, another program may use up what these need.
        #expect(
          try (1...9).contains { _ in
            try Program.run("MainLoopProbe", ["actor of a thread"], by: launcher).lines == ["3", "3"]
          })
      }

      @Test func droppedTasksOfAMainLoopWithoutItsThreadAreReportedOnce() throws {
        let result = try Program.run("MainLoopProbe", ["ends"])
        #expect(result.error.hasPrefix("RunLoopTasks: the main run loop never runs"), "\(result.error)")
        #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
      }
    #endif
  }

#endif
