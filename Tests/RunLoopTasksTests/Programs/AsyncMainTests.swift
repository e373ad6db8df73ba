#if os(Linux)
  import Foundation
  import RunLoopVirtualTime
  import Testing

  /// The main loop of a program with an `async` main that does not import `RunLoopMain`. On Linux nothing runs it.
  @Suite(.onOwnLoop) struct AsyncMainTests {
    /// Each is the first use of the package in its process.
    @Test(arguments: [
      ("tasks", ["nextLoopBegan", "currentLoopEnded", "idle"]),
      ("awaited", Array(repeating: "CancellationError()", count: 6)),
      ("waited for", Array(repeating: "CancellationError()", count: 3)),
      ("handle", ["CancellationError()"]),  // which the main thread took before it ended
      ("RunLoop.current", ["true", "false", "false"]),  // the loop of the main actor's code is that of any thread
    ])
    func theMainLoopIsLostAndItsFirstUseSaysWhy(program: String, events: [String]) throws {
      let result = try Program.run("AsyncMainProbe", [program])
      #expect(result.lines == events)
      #expect(result.status == 0)
      // On a slow machine, Dispatch may take the main thread more than five seconds late.
      let lines = result.error.split(separator: "\n").filter { !$0.contains("performAndWait at") }
      #expect(lines.count == 1)
      for part in [
        "RunLoopTasks: the main run loop never runs", "Dispatch has taken over the main thread", "an async main",
        "Import RunLoopMain", "a main that is not async", "a RunLoopThread",
      ] {
        #expect(lines.first?.contains(part) == true, "\(lines)")
      }
    }

    /// The loops of other threads end with them.
    @Test func aProgramThatDropsNothingOfTheMainLoopSaysNothing() throws {
      let result = try Program.run("AsyncMainProbe", ["nothing dropped"])
      #expect(result.lines == ["cancelled cancelled", "CancellationError()", "ran", "true"])
      #expect(result.status == 0)
      #expect(result.error.isEmpty, "\(result.error)")
    }

    @Test(arguments: [
      "RunLoop.perform(_:)", "RunLoop.perform(when:)", "RunLoop.runPass(mode:)", "RunLoop.advance(by:mode:)",
      "RunLoop.runUntil", "RunLoop.runUntilTasksFinish",
    ])
    func aCallOnTheMainActorStopsTheProgramWithAMessage(function: String) throws {
      let result = try Program.run("AsyncMainProbe", [function])
      #expect(result.status != 0)
      let cause = "RunLoopTasks: the main run loop never runs"
      #expect(
        result.error.contains("Fatal error: \(function) must be called on the loop's own thread"), "\(result.error)")
      #expect(result.error.contains(cause), "\(result.error)")
    }
  }
#endif
