#if os(macOS) || os(Linux)  // Other platforms cannot start processes.
  import Foundation
  import Testing

  /// The main loop of a program with an `async` main that imports `RunLoopMain`.
  @Suite(.onOwnLoop) struct RunLoopMainTests {
    @Test(arguments: [
      ("threads", ["true", "true", "true", "true"]),
      ("timings", ["currentLoopEnded", "nextLoopBegan", "idle", "true"]),
      ("awaited", ["1", "2", "Failure()", "true"]),
      ("timer", ["true"]),
      ("block", ["true"]),
      ("perform", ["true"]),
      ("empty", ["true"]),
      ("returns", []),
    ])
    func theMainThreadRunsTheMainLoop(_ name: String, events: [String]) throws {
      try expect(events, of: name)
    }

    private func expect(_ events: [String], of name: String) throws {
      let result = try Program.run("RunLoopMainProbe", [name])
      #expect(result.lines == events)
      #expect(result.status == 0)
      #expect(result.error.isEmpty, "\(result.error)")
    }

    @Test func exitEndsTheProgram() throws {
      let result = try Program.run("RunLoopMainProbe", ["exits"])
      #expect(result.status == 7)
      #expect(result.error.isEmpty, "\(result.error)")
    }

    @Test func anErrorOfMainEndsTheProgram() throws {
      let result = try Program.run("RunLoopMainProbe", ["throws"])
      #expect(result.status != 0)
      #expect(result.error.contains("Error raised at top level: RunLoopMainProbe.Failure()"), "\(result.error)")
    }

    #if os(Linux)
      /// On macOS, a stop of the main loop ends such a program.
      @Test func aStoppedLoopGoesOn() throws { try expect(["true", "true", "true"], of: "stopped") }

      @Test func dispatchMainTakesTheMainThreadAsWithoutIt() throws {
        let result = try Program.run("RunLoopMainProbe", ["dispatchMain"])
        #expect(result.lines == ["cancelled"])
        #expect(result.status == 0)
        #expect(result.error.hasPrefix("RunLoopTasks: the main run loop never runs"), "\(result.error)")
      }

      @Test func anotherThreadThatWaitsForTheEndOfMainDoesNotSpin() throws {
        #expect(try Program.run("RunLoopMainProbe", ["another thread"]).lines == ["true"])
      }

      @Test func embeddingALoopThatRunsIsReported() throws {
        let result = try Program.run("RunLoopMainProbe", ["embedded"])
        #expect(result.lines == ["task"])
        let cause =
          "RunLoopHost: the main run loop is already being run, by RunLoopMain if the program has an async main"
        #expect(result.error.hasPrefix(cause), "\(result.error)")
      }

      // MARK: the hook of Swift's runtime

      @Test func aHookThatOtherCodeHasSetBeforeStays() throws {
        let result = try Program.run("RunLoopMainProbe", ["before"], environment: ["OTHER_HOOK": "before"])
        #expect(result.lines == ["cancelled"])
        #expect(result.status == 0)
        let lines = result.error.split(separator: "\n").map(String.init)
        #expect(lines.first == message("other code has already set swift_task_asyncMainDrainQueue_hook"))
        #expect(lines.dropFirst().first == "the other hook")
      }

      @Test func otherCodeMaySetTheHookLater() throws {
        let result = try Program.run("RunLoopMainProbe", ["after"])
        #expect(result.lines == ["cancelled"])
        #expect(result.status == 0)
        let lines = result.error.split(separator: "\n").map(String.init)
        #expect(lines.first == "the other hook")
        #expect(lines.contains(message(notCalled)), "\(lines)")
      }

      @Test func aRuntimeThatDoesNotCallTheHookIsReported() throws {
        let result = try Program.run("RunLoopMainProbe", ["not called"])
        #expect(result.lines == ["cancelled"])
        #expect(result.status == 0)
        let lines = result.error.split(separator: "\n").map(String.init)
        #expect(lines.count(where: { $0.hasPrefix("RunLoopMain: ") }) == 1)
        #expect(lines.contains(message(notCalled)), "\(lines)")
      }

      private var notCalled: String {
        "Swift's runtime did not call swift_task_asyncMainDrainQueue_hook, or other code has changed it or called dispatchMain()"
      }

      @Test func aRuntimeWithoutTheHookIsReported() throws {
        let result = try Program.run("RunLoopMainProbe", ["no hook"])
        #expect(result.status == 0)
        #expect(result.error == message("Swift's runtime has no swift_task_asyncMainDrainQueue_hook") + "\n")
      }

      private func message(_ cause: String) -> String {
        "RunLoopMain: the main run loop does not run below an async main, because \(cause); "
          + "use a main that is not async, or a RunLoopThread"
      }
    #endif
  }
#endif
