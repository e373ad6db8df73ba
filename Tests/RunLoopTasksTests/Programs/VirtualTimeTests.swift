import Foundation
import Testing

#if os(macOS) || os(Linux)  // Other platforms cannot start processes.

  /// Async code that sleeps a second again and again ends each of these sleeps in the advance to its end: as many as
  /// there are seconds, whatever else the machine does.
  ///
  /// One test after the other, because some keep the processors busy. `VIRTUAL_TIME_CALLS=30` makes more calls, from more
  /// places, each of an hour and beside more code.
  @Suite(.onOwnLoop, .serialized) struct VirtualTimeTests {
    private static let setting = ProcessInfo.processInfo.environment["VIRTUAL_TIME_CALLS"]
    private static let (isLong, calls) = (setting != nil, setting ?? "1")
    private static let places = isLong ? ["main", "thread", "other", "none"] : ["main", "none"]

    @Test(arguments: ["main", "thread", "elsewhere"]) func eachSecondOfALongCallIsASleep(place: String) throws {
      try expectNoneWrong("place=\(place)", "sleeps=\(Self.isLong ? 3_600 : 50)")
    }

    @Test(arguments: places.dropLast(), ["some", "any"])
    func eachSecondIsASleepOfAGenericClock(place: String, way: String) throws {
      try expectNoneWrong("place=\(place)", "way=\(way)", "sleeps=\(Self.isLong ? 600 : 50)")
    }

    @Test(arguments: places, ["loop", "any"])
    func callsBesideEightBusyThreadsAreExact(place: String, way: String) throws {
      try expectNoneWrong(
        "place=\(place)", "way=\(way)", "sleeps=\(Self.isLong ? 100 : 10)", "calls=\(Self.calls)", "busy=8")
    }

    @Test(arguments: places, ["loop", "any"])
    func callsBesideBusyJobsOfTheLowestPriorityAreExact(place: String, way: String) throws {
      try expectNoneWrong(
        "place=\(place)", "way=\(way)", "sleeps=\(Self.isLong ? 100 : 10)", "calls=\(Self.calls)", "background=8")
    }

    /// As many jobs follow each sleep.
    @Test(arguments: ["detached", "continuation", "yield", "stream", "group"], isLong ? [3, 30] : [30])
    func chainsOfJobsBesideEightBusyThreadsAreExact(link: String, length: Int) throws {
      for place in Self.isLong ? Self.places : ["main"] {
        try expectNoneWrong(
          "place=\(place)", "way=any", "link=\(link)", "length=\(length)", "sleeps=10", "calls=\(Self.calls)", "busy=8")
      }
    }

    /// All but one of the shared threads are blocked, each for a second and then again.
    @Test(arguments: isLong ? ["loop", "any"] : ["any"])
    func callsSideBySideBesideBlockedThreadsAreExact(way: String) throws {
      let blocked = ProcessInfo.processInfo.activeProcessorCount - 1
      try expectNoneWrong(
        "place=thread", "way=\(way)", "sleeps=1", "calls=\(Self.isLong ? 10 : 1)", "side=64", "blocked=\(blocked)")
    }

    private func expectNoneWrong(_ arguments: String...) throws {
      let result = try Program.run("MainLoopProbe", ["virtual time"] + arguments)
      #expect(result.lines == ["0 wrong"])
      #expect(result.error.isEmpty, "\(result.error.prefix(1_000))")
    }
  }
#endif
