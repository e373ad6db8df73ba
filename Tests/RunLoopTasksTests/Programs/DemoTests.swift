import Foundation
import Testing

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
      let result = try Program.run("Demo", "--dispatch", "--rounds", "3")
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
      (["--record"], "--record needs a file name"), (["--record", ""], "--record needs a file name"),
      (["timeline", "--rounds", "2"], "unknown argument '--rounds' for timeline, which takes none"),
      (["--record", "a.svg", "timeline"], "unknown argument '--record' for timeline, which takes none"),
      (["--rounds", "x"], "--rounds needs a number above zero, not 'x'"),
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

    #if os(Linux)  // Darwin has no full device.
      @Test(arguments: [["--help"], ["timeline"], ["--rounds", "1"]])
      func aFailedWriteEndsTheProgramWithTheReason(arguments: [String]) throws {
        let process = Process()
        process.executableURL = Program.url(of: "Demo")
        process.arguments = arguments
        let error = Pipe()
        process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
        process.standardError = error
        try process.run()
        let message = error.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 74)
        #expect(String(decoding: message, as: UTF8.self) == "Demo: cannot write the output: No space left on device\n")
      }
    #endif

    // MARK: the timeline

    @Test func theTimelineShowsWhenTasksRun() throws {
      let result = try Program.run("Demo", "timeline")
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
      #expect(hasBalancedTags(picture))
    }

    @Test func theFirstFrameOfARecordingSaysOneRound() throws {
      let picture = try recordingOfTwoRounds().light
      let delay = try #require(picture.firstMatch(of: /animation: ([0-9.]+)s infinite step-end -([0-9.]+)s/))
      let (duration, begin) = (try #require(Double(delay.1)), try #require(Double(delay.2)))
      let groups = picture.matches(of: /<g id="([nqf]\d-?\d*)"( class="later")?>/)
      #expect(groups.count > 15)
      let shown = try groups.map { String($0.1) }.filter { try isVisible($0, at: begin / duration * 100, in: picture) }
      // One title, one frame and the events so far, without animations, too.
      #expect(shown == groups.filter { $0.2 == nil }.map { String($0.1) })
      #expect(shown.filter { !$0.hasPrefix("n0-") }.map { $0.prefix(2) } == ["q0", "f0"])
      #expect(shown.contains { $0.hasPrefix("n0-") })
    }

    @Test func theDarkRecordingDiffersOnlyInItsColors() throws {
      let (light, dark) = try recordingOfTwoRounds()
      func withoutColors(_ picture: String) -> String {
        picture.replacing(/: #[0-9a-f]{6}|fill="#[0-9a-f]{6}" *\/>/, with: "")
      }
      #expect(light != dark)
      #expect(withoutColors(light) == withoutColors(dark))
    }

    @Test func aRecordingMovesTheMessages() throws {
      let picture = try recordingOfTwoRounds().light
      let message = /<g id="(m[0-9-]+)" class="message.*?>([^<>]+)<\/text>/
      let messages = picture.matches(of: message).map { (id: String($0.1), text: String($0.2)) }
      let round = ["32 alphas, please", "32 new alphas"]
      #expect(messages.map(\.text) == round + round)
      for (id, text) in messages {
        let line = try #require(picture.split(separator: "\n").first { $0.contains("@keyframes \(id) {") })
        let places = line.matches(of: /translateY\(([0-9]+)px\)/).compactMap { Int($0.1) }
        let (first, last) = (try #require(places.first), try #require(places.last))
        #expect(text.hasSuffix("please") ? first > last : first < last, "\(text): \(places)")
      }
    }

    @Test(arguments: [
      ("/nowhere/at/all.svg", "No such file or directory"),
      (FileManager.default.temporaryDirectory.path, "Is a directory"),
    ])
    func anUnwritableRecordingPrintsTheReason(path: String, reason: String) throws {
      let result = try Program.run("Demo", "--record", path)
      #expect(result.status == 73)
      #expect(result.output == "")
      #expect(result.error == "Demo: cannot write \(path): \(reason); name another file\n")
    }

    /// The SVG files that the demo records.
    private func recordingOfTwoRounds() throws -> (light: String, dark: String) {
      let name = UUID()
      let paths = ["\(name).svg", "\(name)~dark.svg"].map {
        FileManager.default.temporaryDirectory.appendingPathComponent($0).path
      }
      defer { paths.forEach { try? FileManager.default.removeItem(atPath: $0) } }
      let result = try Program.run("Demo", "--record", paths[0], "--rounds", "2")
      #expect(result.status == 0)
      #expect(result.output == "2 rounds in \(paths[0]) and \(paths[1])\n")
      let pictures = try paths.map { try String(contentsOfFile: $0, encoding: .utf8) }
      return (pictures[0], pictures[1])
    }

    /// Whether the animation of a group shows it at this percentage of the time.
    private func isVisible(_ id: String, at percentage: Double, in picture: String) throws -> Bool {
      let line = try #require(picture.split(separator: "\n").first { $0.contains("@keyframes \(id) {") })
      let steps = line.matches(of: /([0-9.]+)% { visibility: (visible|hidden) }/)
      return steps.last { (Double($0.1) ?? 0) <= percentage }?.2 == "visible"
    }
  }

  /// Whether each opened tag is closed, in order.
  private func hasBalancedTags(_ text: String) -> Bool {
    var open: [Substring] = []
    for match in text.matches(of: /<(\/?)([a-z]+)[^>]*?(\/?)>/) {
      if match.1 == "/" {
        guard open.popLast() == match.2 else { return false }
      } else if match.3.isEmpty {
        open.append(match.2)
      }
    }
    return open.isEmpty
  }

#endif
