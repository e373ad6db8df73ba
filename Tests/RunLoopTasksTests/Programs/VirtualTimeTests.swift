import Foundation
import Testing

#if os(macOS) || os(Linux)  // Other platforms cannot start processes.

  /// Async code that sleeps a second again and again ends each of these sleeps in the advance to its end: as many as
  /// there are seconds, whatever else the machine does.
  ///
  /// One test after the other, because some keep the processors busy. `VIRTUAL_TIME_CALLS=30` makes more calls.
  @Suite(.onOwnLoop, .serialized) struct VirtualTimeTests {
    private static let calls = ProcessInfo.processInfo.environment["VIRTUAL_TIME_CALLS"] ?? "2"

    @Test(arguments: ["main", "thread", "elsewhere"]) func anHourIs3600Sleeps(place: String) throws {
      try expectNoneWrong("place=\(place)", "sleeps=3600")
    }

    @Test(arguments: ["main", "thread", "other"], ["some", "any"])
    func tenMinutesAre600SleepsOfAGenericClock(place: String, way: String) throws {
      try expectNoneWrong("place=\(place)", "way=\(way)", "sleeps=600")
    }

    @Test(arguments: ["main", "thread", "other", "none"], ["loop", "any"])
    func callsBesideEightBusyThreadsAreExact(place: String, way: String) throws {
      try expectNoneWrong("place=\(place)", "way=\(way)", "sleeps=100", "calls=\(Self.calls)", "busy=8")
    }

    /// All but one of the shared threads are blocked, each for a second and then again.
    @Test(arguments: ["loop", "any"]) func callsSideBySideBesideBlockedThreadsAreExact(way: String) throws {
      let blocked = ProcessInfo.processInfo.activeProcessorCount - 1
      try expectNoneWrong("place=thread", "way=\(way)", "sleeps=1", "calls=10", "side=64", "blocked=\(blocked)")
    }

    private func expectNoneWrong(_ arguments: String...) throws {
      let result = try Program.run("MainLoopProbe", ["virtual time"] + arguments)
      #expect(result.lines == ["0 wrong"])
      #expect(result.error.isEmpty, "\(result.error.prefix(1_000))")
    }
  }
#endif
