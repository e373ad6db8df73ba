import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

#if os(macOS) || os(Linux)  // Other platforms cannot start processes.

  /// The demo without a terminal: its text, the timeline and the recording.
  @Suite(.onOwnLoop) struct DemoTests {
    @Test func withoutATerminalThreeRoundsPrintWhatHappenedWithoutAStaleFrame() throws {
      let result = try Program.run("Demo")
      #expect(result.status == 0)
      #expect(result.lines.filter { $0.hasPrefix("Round") } == ["Round 1", "Round 2", "Round 3"])
      for text in [
        "asks secondary", "32 alphas from secondary, 32 requests", "currentLoopEnded: reload, frame",
        ".when(.currentLoopEnded): 32 requests -> 1 reload, 0 stale frames",
      ] { #expect(result.output.ranges(of: text).count == 3, "\(text)") }
      #expect(result.output.ranges(of: " -> ").count == 3)
      #expect(!result.output.contains("STALE"))
      let grid = result.lines.filter { $0.contains(/^ +[01]\.\d\d\b/) }
      let alphas = grid.flatMap { $0.split(separator: " ").compactMap { Double($0) } }
      #expect(alphas.count == 3 * 32 && Set(alphas).count > 10)
      #expect(alphas.allSatisfy { (0...1).contains($0) })
    }

    @Test func theMainQueueReloadsAfterAStaleFrame() throws {
      let result = try Program.run("Demo", ["--dispatch", "--rounds", "3"])
      #expect(result.status == 0)
      let tallies = result.lines.filter { $0.contains(" -> ") }
      #expect(
        tallies
          == (1...3).flatMap { _ in
            [
              "  DispatchQueue.main.async: 32 requests -> 32 reloads, 1 stale frame",
              "  .when(.currentLoopEnded): 32 requests -> 1 reload, 0 stale frames",
            ]
          })
      // The events of a round in their order: the end of the pass, the frame, the blocks of the main queue, a frame.
      let events = result.lines.flatMap {
        $0.matches(of: /currentLoopEnded: reload|STALE FRAME|main queue: reload ×32|▸ frame$/)
      }
      let round = ["currentLoopEnded: reload", "STALE FRAME", "main queue: reload ×32", "▸ frame"]
      #expect(events.map { String($0.0) } == round + round + round)
    }

    @Test(arguments: [
      (["--bogus"], "unknown argument '--bogus'"), (["--rounds"], "--rounds needs a number"),
      (["--rounds", "0"], "--rounds needs a number above zero, not '0'"),
      (["--record", ""], "--record needs a file name"),
      (["timeline", "--rounds", "2"], "unknown argument '--rounds' for timeline, which takes none"),
    ])
    func badArgumentsPrintTheUsage(arguments: [String], message: String) throws {
      let result = try Program.run("Demo", arguments)
      #expect(result.status == 64)
      #expect(result.output == "")
      #expect(result.error.hasPrefix("Demo: \(message)\nusage: Demo "))
    }

    @Test(arguments: [["--help"], ["timeline"], ["--rounds", "1", "--dispatch"]])
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
      #expect(picture.components(separatedBy: "<rect id=").count - 1 == 64)
      for number in 1...2 { #expect(picture.contains(">round \(number): ")) }
      #expect(!picture.contains(">round 3: "))
      for (text, count) in [
        ("STALE FRAME: round 0", 1), ("STALE FRAME: round 1", 1), ("in all: 2 stale frames", 2),
        ("in all: 0 stale frames", 4), ("currentLoopEnded: reload", 2), ("main queue: reload ×32", 2),
      ] {
        #expect(picture.components(separatedBy: text).count - 1 == count, "\(text)")
      }
      #if canImport(FoundationXML)  // one platform is enough
        #expect(XMLParser(data: Data(picture.utf8)).parse())
      #endif
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
