import Foundation
import Testing

/// The demo: its plain form, the timeline, the recording and the screen on a terminal.
@Suite struct DemoTests {
  @Test func eachRoundSaysWhichThreadDidWhat() throws {
    let result = try Program.run("Demo", "--rounds", "2")
    #expect(result.status == 0)
    let words = result.lines.filter { !$0.contains(".") }
    #expect(
      words
        == (1...2).flatMap { number in
          [
            "Round \(number)",
            "  main thread       asks for 32 alphas",
            "  secondary thread  computed 32 alphas at the end of its pass",
            "  main thread       took them, each a request to reload",
            "  main thread       reloads at the end of its pass",
            "  32 reload requests became 1 reload",
          ]
        })
    let grid = result.lines.filter { $0.contains(".") }
    let alphas = grid.flatMap { $0.split(separator: " ").compactMap { Double($0) } }
    #expect(alphas.count == 64)
    #expect(Set(alphas).count > 10)
    #expect(alphas.allSatisfy { (0...1).contains($0) })
  }

  @Test func withoutATerminalItEndsByItself() throws {
    let result = try Program.run("Demo")
    #expect(result.status == 0)
    #expect(result.lines.filter { $0.hasPrefix("Round") } == ["Round 1", "Round 2", "Round 3"])
  }

  @Test(arguments: [
    (["--bogus"], "unknown argument '--bogus'"), (["--rounds"], "--rounds needs a number"),
    (["--rounds", "0"], "--rounds needs a number above zero, not '0'"),
    (["--record"], "--record needs a file name"), (["--rounds", "x"], "--rounds needs a number above zero, not 'x'"),
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

  @Test func aRecordingShowsWhatHappened() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).svg").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let result = try Program.run("Demo", "--record", path, "--rounds", "2")
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("2 rounds in \(path), "))
    let picture = try String(contentsOfFile: path, encoding: .utf8)
    #expect(picture.utf8.count < 100_000)
    #expect(picture.components(separatedBy: "<rect").count - 1 == 32)
    #expect(picture.contains(">round 2<"))
    #expect(!picture.contains(">round 3<"))
    #expect(picture.contains("currentLoopEnded: reload"))
    #expect(hasBalancedTags(picture))
  }

  @Test func aRecordingThatCannotBeWrittenSaysSo() throws {
    let result = try Program.run("Demo", "--record", "/nowhere/at/all.svg")
    #expect(result.status == 73)
    #expect(result.output == "")
    #expect(result.error == "Demo: cannot write /nowhere/at/all.svg: No such file or directory\n")
  }

  // MARK: on a terminal

  @Test func itIsOperatedByKeys() throws {
    let terminal = try PseudoTerminal("Demo")
    terminal.wait(for: "● exchanging")
    terminal.wait(for: "32 reload requests became 1 reload")
    terminal.press("s")
    terminal.wait(for: "○ stopped")
    terminal.wait(for: "s start")
    terminal.press("s")
    terminal.wait(for: "● exchanging")
    terminal.press("-")
    terminal.wait(for: "every 0.5 s")
    terminal.press("++")
    terminal.wait(for: "every 2 s")
    terminal.press("t")
    terminal.wait(for: "pass afterWaiting")
    terminal.wait(for: "currentLoopEnded: reload")
    terminal.press("t")
    terminal.wait(for: "t timeline")
    terminal.press("q")
    expectRestored(terminal, status: 0)
    #expect(terminal.printed.contains("of alphas, each one reload"))
  }

  @Test(arguments: [(SIGINT, Int32(0)), (SIGTERM, 128 + SIGTERM), (SIGHUP, 128 + SIGHUP)])
  func signalsLeaveTheTerminalAsItWas(signal: Int32, status: Int32) throws {
    let terminal = try PseudoTerminal("Demo")
    terminal.wait(for: "● exchanging")
    terminal.signal(signal)
    expectRestored(terminal, status: status)
  }

  private func expectRestored(_ terminal: PseudoTerminal, status: Int32) {
    #expect(terminal.waitForEnd() == status)
    // macOS notes there that it has yet to look at keys which were pressed before.
    let flags = (terminal.settings.c_lflag, terminal.settingsBefore.c_lflag)
    #expect(flags.0 & ~tcflag_t(PENDIN) == flags.1 & ~tcflag_t(PENDIN))
    #expect(terminal.printed.contains("\u{1B}[?25h\u{1B}[?1049l"))
  }

  @Test(arguments: [
    (["TERM": "xterm-256color", "COLORTERM": "truecolor"], "\u{1B}[48;2;"),
    (["TERM": "xterm-256color"], "\u{1B}[48;5;"),
    (["TERM": "xterm-256color", "NO_COLOR": "1"], "█"), (["TERM": "dumb"], "█"),
  ])
  func coloursAreWhatTheTerminalHas(environment: [String: String], sign: String) throws {
    let terminal = try PseudoTerminal("Demo", environment: environment)
    terminal.wait("colours") { terminal.printed.contains(sign) }
    for other in ["\u{1B}[48;2;", "\u{1B}[48;5;", "█"] where other != sign {
      #expect(!terminal.printed.contains(other))
    }
    if sign == "█" { #expect(!terminal.printed.contains("\u{1B}[1m")) }
    terminal.press("q")
    #expect(terminal.waitForEnd() == 0)
  }

  @Test func anyWindowWillDo() throws {
    let terminal = try PseudoTerminal("Demo", rows: 1, columns: 1)
    for (rows, columns) in [(2, 3), (3, 8), (4, 20), (5, 200), (60, 9), (24, 80)] {
      terminal.resize(rows: rows, columns: columns)
      terminal.wait("a picture of \(rows) rows") { terminal.screen.count == rows }
      #expect(terminal.screen.allSatisfy { $0.count <= columns })
      terminal.press("t")
    }
    terminal.wait(for: "● exchanging")
    terminal.press("q")
    #expect(terminal.waitForEnd() == 0)
  }
}

/// Whether each tag that is opened is closed, in order.
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
