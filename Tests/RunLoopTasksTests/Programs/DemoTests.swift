import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

#if os(macOS) || os(Linux)  // Other platforms cannot start processes.

  /// The demo without a terminal: its text, the timeline and the recording.
  @Suite(.onOwnLoop) struct DemoTests {
    @Test(arguments: [[], ["--rounds", "3"]])
    func withoutATerminalThreeRoundsShowBothSides(arguments: [String]) throws {
      let result = try Program.run("Demo", arguments)
      #expect(result.status == 0)
      let heads = (1...3).map { "Round \($0), its first simulated frame:" }
      #expect(result.lines.filter { $0.hasPrefix("Round") } == heads)
      let words = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      for text in [
        "asks worker for 0", "worker brings 0", "currentLoopEnded: reload", "main.async: reload",
      ] { #expect(words.ranges(of: text).count == 3, "\(text)") }
      #expect(
        words.hasSuffix(
          "a flag and main.async: 120 requests → 3 reloads, 3 stale frames "
            + ".when(.currentLoopEnded): 120 requests → 3 reloads, 0 stale frames"))
      #expect(!result.output.contains(" \n"))
    }

    @Test func idleWorkStallsOneSpinnerAndNotTheOthers() throws {
      let result = try Program.run("Demo", ["idle"])
      #expect(result.status == 0)
      #expect(result.lines.filter { $0.count > 80 } == [])
      let scores = result.output.matches(of: /(.*): the spinner was up to (\d+) ms late/)
      #expect(
        scores.map { String($0.1) } == [
          "DispatchQueue.main.async { job() }", "chunks of 4 ms, written by hand",
          "RunLoop.current.perform { job() }.when(.idle)",
        ])
      let delays = try scores.map { try #require(Int($0.2)) }
      // 1,000 jobs of 0.5 ms take at least half a second. The timer would have fired after 10 ms of it.
      #expect(delays[0] >= 480 && delays[1] < delays[0] && delays[2] < delays[0])
    }

    @Test func theMainQueueReloadsAfterAStaleFrame() throws {
      let result = try Program.run("Demo")
      // The events of a round in their order: the end of the pass, the frame, the blocks of the main queue, a frame.
      let events = result.lines.flatMap { $0.matches(of: /\w+(\.\w+)?: (reload|STALE FRAME)$|▸ frame$/) }
      let round = ["currentLoopEnded: reload", "main.async: STALE FRAME", "main.async: reload", "▸ frame"]
      #expect(events.map { String($0.0) } == round + round + round)
    }

    @Test(arguments: [
      (["--bogus"], "unknown argument '--bogus'"), (["--rounds"], "--rounds needs a number"),
      (["--rounds", "0"], "--rounds needs a number above zero, not '0'"),
      (["--record", ""], "--record needs a file name"),
      (["timeline", "--rounds", "2"], "unknown argument '--rounds' for timeline, which takes none"),
      (["idle", "timeline"], "unknown argument 'timeline' for idle, which takes only --trace"),
    ])
    func aBadArgumentPrintsOneLineAndTheWayToHelp(arguments: [String], message: String) throws {
      let result = try Program.run("Demo", arguments)
      #expect(result.status == 64)
      #expect(result.output == "")
      #expect(result.error == "Demo: \(message)\nswift run Demo --help lists the arguments\n")
    }

    @Test(arguments: [["--help"], ["timeline"], ["--rounds", "1"]])
    func theOutputFitsEightyColumns(arguments: [String]) throws {
      let result = try Program.run("Demo", arguments)
      #expect(result.status == 0)
      #expect(result.lines.filter { $0.count > 80 } == [])
      #expect(result.output.hasPrefix("usage: Demo ") == (arguments == ["--help"]))
    }

    // MARK: the timeline

    @Test func theTimelineShowsWhenTasksRun() throws {
      let result = try Program.run("Demo", ["timeline"])
      #expect(result.status == 0)
      func step(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
      let steps = result.lines.map(step)
      for line in [
        "beforeWaiting ▸ currentLoopEnded", "pass 2 afterWaiting ▸ nextLoopBegan", "beforeWaiting ▸ idle",
        "beforeWaiting ▸ currentLoopEnded: second", "pass 1 beforeWaiting ▸ currentLoopEnded: first ends",
        "exit ▸ currentLoopEnded", "pass 2 entry ▸ nextLoopBegan",
      ] { #expect(steps.contains(step(line)), "\(line)") }
    }

    // MARK: the recording

    @Test func aRecordingShowsBothActsAndTheScore() throws {
      let picture = try Self.recordingOfTwoRounds.get().light
      #expect(picture.utf8.count < 100_000)
      func count(_ text: String) -> Int { picture.ranges(of: text).count }
      for (text, number) in [
        ("STALE FRAME: 00, not 01", 1), ("STALE FRAME: 01, not 02", 1), ("currentLoopEnded: reload", 2),
        ("main.async: STALE FRAME", 2), ("▸ main.async: reload<", 2), (">$ swift run Demo<", 2),
        (">$ swift run Demo idle<", 1), ("Simulated frames, drawn as on macOS 15.", 2), ("link.addRunLoopTasks()", 2),
        (">The score<", 1), ("… with chunks by hand", 1),
      ] { #expect(count(text) == number, "\(text)") }
      #expect(picture.contains(/STALLED \d+ ms.*keeps turning.*keeps turning/))
      #if canImport(FoundationXML)  // one platform is enough
        #expect(XMLParser(data: Data(picture.utf8)).parse())
      #endif
    }

    @Test func aRecordingTakesTenSecondsAndBeginsWithTheDifference() throws {
      let picture = try Self.recordingOfTwoRounds.get().light
      let begin = try #require(picture.firstMatch(of: /animation: 10\.00s infinite step-end -(\d\.\d\d)s/))
      // Without animations, the held frame is there, and nothing of later.
      let shown = picture.matches(of: /<g id="(p\d+)" class="part">(.*)<\/g>/)
      let held = try #require(shown.first { $0.2.contains("STALE FRAME: 00, not 01") })
      #expect(held.2.contains("This frame: the left grid is stale."))
      #expect(shown.allSatisfy { !$0.2.contains("main.async: reload") && !$0.2.contains("score") })
      let rules = picture.matches(of: /@keyframes (p\d+) .*? (\S+)% { visibility: visible } (\S+)%/)
      let rule = try #require(rules.first { $0.1 == held.1 })
      let (start, end) = try (#require(Double(rule.2)) / 10, #require(Double(rule.3)) / 10)  // percentages of 10 s
      #expect(try (start...end - 1).contains(#require(Double(begin.1))))
    }

    @Test func theDarkRecordingDiffersOnlyInItsColors() throws {
      let (light, dark) = try Self.recordingOfTwoRounds.get()
      func withoutColors(_ picture: String) -> String {
        picture.replacing(/: #[0-9a-f]{6}|rx="10" fill="#[0-9a-f]{6}"/, with: "")
      }
      #expect(light != dark)
      #expect(withoutColors(light) == withoutColors(dark))
    }

    @Test func anUnwritableRecordingPrintsTheReason() throws {
      let result = try Program.run("Demo", ["--record", "/nowhere.d/at/all.svg"])
      #expect(result.status == 73)
      #expect(result.output == "")
      #expect(
        result.error == "Demo: cannot write /nowhere.d/at/all.svg: No such file or directory; name another file\n")
    }

    /// The SVG files that the demo records.
    /// Made once, as it takes seconds of processor time.
    private static let recordingOfTwoRounds = Result(catching: recordTwoRounds)

    private static func recordTwoRounds() throws -> (light: String, dark: String) {
      let name = UUID()
      let paths = ["\(name).svg", "\(name)~dark.svg"].map {
        FileManager.default.temporaryDirectory.appendingPathComponent($0).path
      }
      defer { paths.forEach { try? FileManager.default.removeItem(atPath: $0) } }
      let result = try Program.run("Demo", ["--record", paths[0], "--rounds", "2"])
      #expect(result.status == 0)
      #expect(result.output == "both acts in \(paths[0]) and \(paths[1])\n")
      let pictures = try paths.map { try String(contentsOfFile: $0, encoding: .utf8) }
      return (pictures[0], pictures[1])
    }
  }

#endif
