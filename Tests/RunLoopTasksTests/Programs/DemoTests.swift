import Foundation
import Testing

#if os(macOS) || os(Linux)  // Other platforms cannot start processes.

  /// The demo without a terminal: its text, the timeline and the recording.
  @Suite struct DemoTests {
    @Test func eachRoundPrintsWhatEachThreadDid() throws {
      let result = try Program.run("Demo", "--rounds", "2")
      #expect(result.status == 0)
      let text = result.lines.filter { !$0.contains(".") }
      #expect(
        text
          == (1...2).flatMap { number in
            [
              "Round \(number)",
              "  main -> secondary: wants 32 alphas",
              "  secondary -> main: sends 32 alphas",
              "  main: 32 requests to reload",
              "  main: 1 reload as its pass ends",
              "  32 requests -> 1 reload",
            ]
          })
      let grid = result.lines.filter { $0.contains(".") }
      let alphas = grid.flatMap { $0.split(separator: " ").compactMap { Double($0) } }
      #expect(alphas.count == 64)
      #expect(Set(alphas).count > 10)
      #expect(alphas.allSatisfy { (0...1).contains($0) })
    }

    @Test func withoutATerminalTheDemoEndsAfterThreeRounds() throws {
      let result = try Program.run("Demo")
      #expect(result.status == 0)
      #expect(result.lines.filter { $0.hasPrefix("Round") } == ["Round 1", "Round 2", "Round 3"])
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

    @Test func helpPrintsTheUsage() throws {
      let result = try Program.run("Demo", "--help")
      #expect(result.status == 0)
      #expect(result.output.hasPrefix("usage: Demo "))
    }

    @Test(arguments: [["--help"], ["timeline"], ["--rounds", "1"]])
    func theOutputFitsEightyColumns(arguments: [String]) throws {
      let result = try Program.run("Demo", arguments)
      #expect(result.status == 0)
      #expect(result.lines.filter { $0.count > 80 } == [])
    }

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

    @Test func aRecordingShowsTheRounds() throws {
      let picture = try recordingOfTwoRounds()
      #expect(picture.utf8.count < 100_000)
      #expect(picture.components(separatedBy: "<rect").count - 1 == 32)
      for number in 1...2 { #expect(picture.contains(">Round \(number): 32 requests -&gt; 1 reload<")) }
      #expect(picture.contains(">round 2<"))
      #expect(!picture.contains(">round 3<"))
      #expect(picture.contains("currentLoopEnded: reload"))
      #expect(hasBalancedTags(picture))
    }

    @Test func aRecordingMovesTheMessages() throws {
      let picture = try recordingOfTwoRounds()
      let message = /<g id="(e[0-9-]+)" class="message".*?>([^<>]+)<\/text>/
      let messages = picture.matches(of: message).map { (id: String($0.1), text: String($0.2)) }
      #expect(messages.map(\.text) == ["wants 32 alphas", "sends 32 alphas", "wants 32 alphas", "sends 32 alphas"])
      for (id, text) in messages {
        let line = try #require(picture.split(separator: "\n").first { $0.contains("@keyframes \(id) {") })
        let places = line.matches(of: /translateX\(([0-9]+)px\)/).compactMap { Int($0.1) }
        let (first, last) = (try #require(places.first), try #require(places.last))
        #expect(text.hasPrefix("wants") ? first < last : first > last, "\(text): \(places)")
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

    /// The SVG file that the demo records.
    private func recordingOfTwoRounds() throws -> String {
      let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).svg").path
      defer { try? FileManager.default.removeItem(atPath: path) }
      let result = try Program.run("Demo", "--record", path, "--rounds", "2")
      #expect(result.status == 0)
      #expect(result.output.hasPrefix("2 rounds in \(path), "))
      return try String(contentsOfFile: path, encoding: .utf8)
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
