import Foundation
import RunLoopVirtualTime
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
      ("slices in long runs", ["8 slices, 0 late, few blocks in between"]),
      ("slices in short runs", ["8 slices, 0 late, few blocks in between"]),
      ("slices in polls", ["8 slices, 0 late, few blocks in between"]),
      ("slices in nested polls", ["8 slices, 0 late, few blocks in between"]),
      ("clock in a task", ["20 saves"]),
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
      let result = try Program.run("MainLoopProbe", [name])
      #expect(result.lines == events)
      #expect(result.status == 0, "\(result.error)")
      if name != "ends" { #expect(result.error.isEmpty, "\(result.error)") }
    }

    /// The calls after that are right.
    @Test func callsThatWaitInVainSaySoAndDoNotChangeLaterOnes() throws {
      let result = try Program.run("MainLoopProbe", ["blocked threads"])
      #expect(result.lines == ["true", "10 of 10"])
      let lines = result.error.split(separator: "\n")
      #expect(lines.count == 3, "\(result.error)")
      let start = "RunLoopTasks: RunLoop.advance(by:) at MainLoopProbe/main.swift:"
      #expect(lines.allSatisfy { $0.hasPrefix(start) && $0.contains("has waited in vain, 0.0 seconds") })
    }

    @Test(arguments: [("a job hook is there", 0), ("a job hook is set later", 1)])
    func theJobHookOfOtherCodeIsCalled(_ name: String, lines: Int) throws {
      let result = try Program.run("MainLoopProbe", [name])
      #expect(result.lines == ["20", "20", "true"])
      let errors = result.error.split(separator: "\n")
      #expect(errors.count == lines, "\(result.error)")
      #expect(errors.allSatisfy { $0.contains("another swift_task_enqueueGlobal_hook was set after its own") })
    }

    @Test(arguments: [
      ("in a block before code has begun", ["advanced", "advanced"], 1),
      ("in a block", ["advanced", "advanced", "slept"], 1),
      ("in a job", ["advanced", "advanced", "slept"], 1), ("in a block without async code", ["task", "advanced"], 0),
    ])
    func aCallWhereAsyncCodeCannotGoOnSaysSoOnce(_ name: String, events: [String], lines: Int) throws {
      let result = try Program.run("MainLoopProbe", ["advance", name])
      #expect(result.lines == events)
      let errors = result.error.split(separator: "\n")
      #expect(errors.count == lines, "\(result.error)")
      #expect(
        errors.allSatisfy {
          $0.contains("AdvanceInBlocks.swift:") && $0.contains("call it in withMainRunLoop, in a task of a loop")
        })
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
        #expect(try Program.run("MainLoopProbe", ["actor of a thread"], by: launcher).lines == ["3", "3"])
      }

      @Test func droppedTasksOfAMainLoopWithoutItsThreadAreReportedOnce() throws {
        let result = try Program.run("MainLoopProbe", ["ends"])
        #expect(result.error.hasPrefix("RunLoopTasks: the main run loop never runs"), "\(result.error)")
        #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
      }
    #endif
  }

#endif
