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
        "asks secondary", "32 alphas from secondary, 32 requests", "currentLoopEnded: reload",
        "DispatchQueue.main.async: 32 requests → 32 reloads, 1 stale frame",
        ".when(.currentLoopEnded): 32 requests → 1 reload, 0 stale frames",
      ] { #expect(words.ranges(of: text).count == 3, "\(text)") }
      #expect(!result.output.contains(" \n"))
    }

    @Test func theMainQueueReloadsAfterAFrameWithTheNumberBefore() throws {
      let result = try Program.run("Demo")
      let digits = (1...3).flatMap {
        DrawnNumber.lines($0 - 1, $0, cell: (width: 3, height: 1), column: 38).map { " " + $0 }
      }
      #expect(DrawnNumber.lines(in: result.lines) == digits)
      // The events of a round in their order: the end of the pass, the frame, the blocks of the main queue, a frame.
      let events = result.lines.flatMap { $0.matches(of: /\w+(\.\w+)?: (reload|STALE FRAME)( ×32)?$|▸ frame$/) }
      let round = ["currentLoopEnded: reload", "main.async: STALE FRAME", "main.async: reload ×32", "▸ frame"]
      #expect(events.map { String($0.0) } == round + round + round)
    }

    @Test(arguments: [
      (["--bogus"], "unknown argument '--bogus'"), (["--rounds"], "--rounds needs a number"),
      (["--rounds", "0"], "--rounds needs a number above zero, not '0'"),
      (["--record", ""], "--record needs a file name"),
      (["timeline", "--rounds", "2"], "unknown argument '--rounds' for timeline, which takes none"),
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

    @Test func aRecordingShowsBothViews() throws {
      let picture = try recordingOfTwoRounds().light
      #expect(picture.utf8.count < 100_000)
      func count(_ text: String) -> Int { picture.ranges(of: text).count }
      for number in 0...2 { #expect(count("<g id=\"round\(number)\"><rect ") == 1) }
      #expect(count(" opacity=") == 3 * 32)
      for (text, number) in [
        ("STALE FRAME: round 0", 1), ("STALE FRAME: round 1", 1), ("in all: 2 stale frames", 2),
        ("in all: 0 stale frames", 4), ("currentLoopEnded: reload", 2), ("main.async: STALE FRAME", 2),
        ("main.async: reload ×32", 2), ("simulated frames, slowed down", 1),
      ] { #expect(count(text) == number, "\(text)") }
      // Without animations, the messages of the second round are hidden.
      let messages = picture.matches(of: /@keyframes m\d.*/)
      #expect(messages.count == 4 && messages.allSatisfy { $0.0.contains("visibility: visible") })
      #if canImport(FoundationXML)  // one platform is enough
        #expect(XMLParser(data: Data(picture.utf8)).parse())
      #endif
    }

    @Test func aRecordingBeginsWithTheDifferenceAndTakesFiveSeconds() throws {
      let picture = try recordingOfTwoRounds().light
      // The first frame, which is also there without animations.
      let frame = try #require(picture.firstMatch(of: /<g id="(f0-\d+)">.*/))
      #expect(frame.0.contains(/<use href="#round0" x="20".*<use href="#round1" x="2\d\d"/))
      let animation = try #require(picture.firstMatch(of: /animation: 5\.00s infinite step-end -(\d\.\d\d)s/))
      let rules = picture.matches(of: /@keyframes (f0-\d+) .*? (\S+)% { visibility: visible } (\S+)%/)
      let rule = try #require(rules.first { $0.1 == frame.1 })
      let (start, end) = try (#require(Double(rule.2)) / 20, #require(Double(rule.3)) / 20)  // percentages of 5 s
      #expect(try (start...end - 0.5).contains(#require(Double(animation.1))))
    }

    @Test func theTextOfARecordingCanBeReadOnAPhone() throws {
      let picture = try recordingOfTwoRounds().light
      let size = try #require(picture.firstMatch(of: /font: (\d+)px/))
      let width = try #require(picture.firstMatch(of: /viewBox="0 0 (\d+)/))
      // GitHub leaves 358 pixels of 390 for a picture.
      #expect(try #require(Double(size.1)) * 358 / #require(Double(width.1)) >= 11)
    }

    @Test func theDarkRecordingDiffersOnlyInItsColors() throws {
      let (light, dark) = try recordingOfTwoRounds()
      func withoutColors(_ picture: String) -> String {
        picture.replacing(/: #[0-9a-f]{6}|fill="#[0-9a-f]{6}" *\/>/, with: "")
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
    private func recordingOfTwoRounds() throws -> (light: String, dark: String) {
      let name = UUID()
      let paths = ["\(name).svg", "\(name)~dark.svg"].map {
        FileManager.default.temporaryDirectory.appendingPathComponent($0).path
      }
      defer { paths.forEach { try? FileManager.default.removeItem(atPath: $0) } }
      let result = try Program.run("Demo", ["--record", paths[0], "--rounds", "2"])
      #expect(result.status == 0)
      #expect(result.output == "2 rounds in \(paths[0]) and \(paths[1])\n")
      let pictures = try paths.map { try String(contentsOfFile: $0, encoding: .utf8) }
      return (pictures[0], pictures[1])
    }
  }

#endif
