import Foundation
import Testing

#if os(macOS) || os(Linux)  // Other platforms cannot start processes.

  /// The demo on a terminal: its keys, signals, colors and window.
  @Suite(.onOwnLoop) struct TerminalDemoTests {
    @Test func keysControlTheDemo() throws {
      let terminal = try PseudoTerminal("Demo")
      terminal.wait(for: "● running")
      terminal.wait("a reload") { terminal.screens.joined().contains { $0.contains("1 reload; 0 × stale") } }
      for (keys, texts) in [
        ("s", ["○ stopped", "s start"]), ("s", ["● running"]), ("+", ["every 0.5 s"]), ("--", ["every 2 s"]),
      ] {
        terminal.press(keys)
        for text in texts { terminal.wait(for: text) }
      }
      terminal.press("q")
      expectRestored(terminal, status: 0)
      #expect(terminal.printed.contains(/\.when\(\.currentLoopEnded\): \d+ requests → \d+ reloads?, 0 stale frames/))
    }

    @Test func staleFramesAreSeenBesideTheOtherView() throws {
      let terminal = try PseudoTerminal("Demo")
      terminal.wait("three rounds") { terminal.screens.joined().contains { $0.contains("3 reloads; 3 × stale") } }
      let frames = terminal.screens.map { $0.map { $0.split(separator: " ").joined(separator: " ") } }
      for number in 1...2 {
        // A stale frame shows the round before. It is followed by another one, with the new alphas in both views.
        let stale = try #require(
          frames.firstIndex { $0.contains("STALE FRAME: 0\(number - 1), not 0\(number) frame: 0\(number)") })
        let fresh = try #require(
          frames.firstIndex { $0.contains("frame: 0\(number) frame: 0\(number)") })
        #expect(stale < fresh)
        // The row of the frame names the view in red, and the task's own row does not.
        let rows = terminal.frames[stale].components(separatedBy: "\r\n")
        #expect(rows.contains { $0.contains("\u{1B}[1;31m") && $0.contains("▸ main.async: STALE FRAME") })
        #expect(rows.contains { $0.contains("\u{1B}[1;31m┏━") && $0.contains("\u{1B}[2m╭─") })
        #expect(rows.contains { $0.contains("\u{1B}[1;32m") && $0.contains("currentLoopEnded: reload\u{1B}[0m") })
      }
      terminal.press("q")
      #expect(terminal.waitForEnd() == 0)
    }

    @Test func theSecondActCountsTheWorstDelays() throws {
      let terminal = try PseudoTerminal("Demo", arguments: ["idle"])
      terminal.wait("a spinner that has stalled beside two that turn") {
        terminal.screen.contains { $0.contains("STALLED") && $0.ranges(of: "keeps turning").count == 2 }
      }
      terminal.wait("the jobs") { terminal.screen.contains { $0.ranges(of: "jobs left: 0").count == 3 } }
      terminal.press("q")
      expectRestored(terminal, status: 0)
      #expect(terminal.printed.matches(of: /the spinner was up to (\d+) ms late/).count == 3)
    }

    @Test func aTerminalWithoutEscapesGetsPlainRounds() throws {
      let terminal = try PseudoTerminal("Demo", environment: ["TERM": "dumb"])
      #expect(terminal.waitForEnd() == 0)
      for number in 1...3 { #expect(terminal.printed.contains("Round \(number), ")) }
      #expect(!terminal.printed.contains("\u{1B}"))
    }

    @Test func withoutInputTheDemoOffersNoKeys() throws {
      let terminal = try PseudoTerminal("Demo", hasKeys: false)
      terminal.wait(for: "Ctrl-C quits")
      #expect(!terminal.screen.contains { $0.contains("q quit") })
      terminal.signal(SIGINT)
      expectRestored(terminal, status: 0)
    }

    // MARK: signals

    @Test(arguments: [(SIGINT, Int32(0)), (SIGTERM, 128 + SIGTERM), (SIGHUP, 128 + SIGHUP)])
    func signalsRestoreTheTerminal(signal: Int32, status: Int32) throws {
      let terminal = try PseudoTerminal("Demo")
      terminal.wait(for: "● running")
      terminal.signal(signal)
      expectRestored(terminal, status: status)
    }

    @Test func aSuspendedDemoLeavesTheScreenToTheShell() throws {
      let terminal = try PseudoTerminal("Demo")
      terminal.wait(for: "● running")
      for number in 1...2 {
        terminal.wait(for: "STALE FRAME")
        terminal.signal(SIGTSTP)
        terminal.wait("the shell's screen") { terminal.printed.ranges(of: "\u{1B}[?1049l").count == number }
        terminal.wait("the shell's settings") { terminal.settings.c_lflag == terminal.settingsBefore.c_lflag }
        // The demo stays stopped until it is late for a frame.
        let stop = DispatchTime.now()
        terminal.wait("half a second") { DispatchTime.now() > stop + .milliseconds(500) }
        // Repeats the signal, because the demo may not have stopped yet.
        terminal.wait("the demo's screen") {
          terminal.signal(SIGCONT)
          return terminal.visits.count == number + 1 && terminal.visits[number].demo.contains("\u{1B}[H")
        }
      }
      terminal.press("q")
      expectRestored(terminal, status: 0)
      #expect(terminal.visits.allSatisfy { !$0.shell.contains("\u{1B}[H") })
    }

    @Test func theDemoEndsWhenItsTerminalCloses() throws {
      let terminal = try PseudoTerminal("Demo")
      terminal.wait(for: "● running")
      terminal.hangUp()
      #expect(terminal.waitForEnd() == 128 + SIGHUP)
    }

    private func expectRestored(_ terminal: PseudoTerminal, status: Int32) {
      #expect(terminal.waitForEnd() == status)
      #expect(terminal.settings.c_lflag == terminal.settingsBefore.c_lflag)
      #expect(terminal.printed.contains("\u{1B}[?25h\u{1B}[?1049l"))
    }

    // MARK: colors

    @Test(arguments: [
      (["TERM": "xterm-256color", "COLORTERM": "truecolor"], "\u{1B}[48;2;"),
      (["TERM": "xterm-256color"], "\u{1B}[48;5;"),
      (["TERM": "xterm-256color", "NO_COLOR": "1"], "█"), (["TERM": "vt100"], "█"),
    ])
    func colorsMatchTheTerminal(environment: [String: String], sign: String) throws {
      let terminal = try PseudoTerminal("Demo", environment: environment)
      terminal.wait("colors") { terminal.printed.contains(sign) }
      for other in ["\u{1B}[48;2;", "\u{1B}[48;5;", "█"] where other != sign {
        #expect(!terminal.printed.contains(other))
      }
    }

    // MARK: windows

    @Test func theDemoFitsAnyWindow() throws {
      let terminal = try PseudoTerminal("Demo", rows: 1, columns: 1)
      for (rows, columns) in [(2, 3), (3, 8), (4, 20), (5, 200), (60, 9), (18, 60), (24, 80)] {
        for _ in 1...2 {
          terminal.resize(rows: rows, columns: columns)
          terminal.wait("a frame of \(rows) rows") { terminal.screen.count == rows }
          #expect(terminal.screen.allSatisfy { $0.count <= columns })
          terminal.press("t")
        }
      }
      // The demo clears a line before writing it. Clearing it afterwards would erase the last column.
      #expect(!terminal.frame.contains("\u{1B}[K\r\n"))
    }

    @Test(arguments: [
      (
        40, 120,
        [
          " DispatchQueue.main.async { reload() }", " guard !isRequested else { return }",
          "simulated frames, slowed down", "▸ main.async: STALE FRAME",
          " A red grid is stale", "Drawn as on macOS 15. iOS 18+ needs a UIUpdateLink", "+ faster  - slower",
        ]
      ),
      (
        18, 60,
        [
          "simulated frames", "▸ main.async: STALE FRAME", "▸ main.async: reload",
          " Drawn as on macOS 15. On iOS 18+: link.addRunLoopTasks()", "+ faster  - slower",
        ]
      ),
    ])
    func windowsKeepTheWords(rows: Int, columns: Int, words: [String]) throws {
      let terminal = try PseudoTerminal("Demo", rows: rows, columns: columns)
      terminal.wait(for: "round 3")
      let lines = terminal.screens.joined()
      for words in words { #expect(lines.contains { $0.contains(words) }, "\(words)") }
      #expect(columns < 60 || lines.filter { $0.contains("…") } == [])
    }
  }

#endif
