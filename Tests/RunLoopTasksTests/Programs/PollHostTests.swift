#if os(Linux)
  import Foundation
  import Testing

  /// The main loop inside a loop of `poll`.
  @Suite(.onOwnLoop) struct PollHostTests {
    private static let (rests, isReady) = ("[false, false, false]", "[true, true, true]")

    @Test(arguments: [
      ("timings", ["currentLoopEnded", "nextLoopBegan", "idle", "true", "true", "true"]),
      ("watched elsewhere", ["3"]),
      (
        "descriptor", ["true", "1", "true", rests, isReady, rests, isReady, rests, rests, isReady, isReady, "4", rests]
      ),
      ("outer epoll", ["false", "true", "task", "false"]),
      ("dates", ["true", "true", "true"]),
      ("source", ["true", "[5]", "true"]),
      ("before poll", ["one wake-up for each"]),
      ("race", ["true"]),
      ("run by hand", [#"["first"]"#, "true", #"["first", "left", "later"]"#, "0", "true", "true"]),
      ("canceled", ["true"]),
      ("idle second", ["0"]),
      ("nested in a handler", ["true", "true", "0"]),
      ("nested in a task", ["true", "0", #"["batch", "block", "delay", "post", "timer"]"#, "0"]),
      ("nested after a post", ["true"]),
      ("nested in a block", ["true", "rests", "0", "true", "true", "true", "0"]),
      ("nested after a block", ["true", "true"]),
      ("nested in a timer", ["rests", "true", "0"]),
      ("inside itself", [#"["inner", "outer"]"#, "false"]),
      ("ends", ["true", "true"]),
      ("forked", ["0", "false"]),
    ])
    func aHostServesTheMainLoop(_ name: String, events: [String]) throws {
      let result = try Program.run("PollHostProbe", [name])
      #expect(result.lines == events)
      #expect(result.status == 0, "\(result.error)")
      #expect(result.error.isEmpty, "\(result.error)")
    }

    /// A busy machine may add some, for a post that comes while the pass of the one before is still under way, or save
    /// some, if two ticks of a timer have come before a pass.
    @Test(arguments: ["posts", "main queue", "ticks"])
    func whatComesCostsOneWakeUp(_ name: String) throws {
      let result = try Program.run("PollHostProbe", [name])
      let (all, single) = try #require(
        result.lines.first.map { line in
          let numbers = line.split(separator: " ").compactMap { Int($0) }
          return (numbers[0], numbers[1])
        })
      #expect(max(all, single) >= 50)
      #expect(single * 10 >= all * 9 && all * 10 >= single * 9, "\(single) of \(all)")
    }

    @Test func theHostHasTurnsBesideIdleWork() throws {
      // 200 tasks of at least a millisecond each, in slices of four. All passes but the first or the last run some.
      let result = try Program.run("PollHostProbe", ["idle slices"])
      let numbers = try #require(result.lines.first).split(separator: " ").compactMap { Int($0) }
      #expect(numbers[0] >= 50)
      #expect(numbers[0] <= 203)
      #expect(numbers[1] <= 3)
    }

    @Test(arguments: [
      ("two", "init() was called while another EmbeddedMainLoop exists"),
      ("another thread", "runPass() was called on another thread than the main one"),
      ("made elsewhere", "init() was called on another thread than the main one"),
      ("used in a fork", "runPass() was called in a forked process"),
      ("no descriptors", "init() needs file descriptors, and the process can't open more: Too many open files"),
    ])
    func aMistakeStopsTheProgramWithAMessage(_ name: String, cause: String) throws {
      let result = try Program.run("PollHostProbe", [name])
      #expect(result.status != 0 || name == "used in a fork")
      #expect(result.error.contains("Fatal error: EmbeddedMainLoop.\(cause)"), "\(result.error)")
    }
  }
#endif
