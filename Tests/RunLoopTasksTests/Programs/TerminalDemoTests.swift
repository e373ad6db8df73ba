import Foundation
import Testing

#if os(macOS) || os(Linux)  // Other platforms cannot start processes.

  /// The demo on a terminal: its keys, signals, colors and window.
  @Suite(.onOwnLoop) struct TerminalDemoTests {
    @Test func keysControlTheDemo() throws {
      let terminal = try PseudoTerminal("Demo")
      terminal.wait(for: "● exchanging")
      terminal.wait(for: "32 requests -> 1 reload")
      for (keys, texts) in [
        ("s", ["○ stopped", "s start"]), ("s", ["● exchanging"]), ("-", ["every 0.5 s"]), ("++", ["every 2 s"]),
        ("t", ["pass afterWaiting", "currentLoopEnded: reload"]), ("t", ["t timeline"]),
        ("c", ["32 requests -> 32 reloads", "// .coalesced(by: view)", "c coalesce"]),
        ("c", ["32 requests -> 1 reload", "  .coalesced(by: view)", "c stop coalescing"]),
      ] {
        terminal.press(keys)
        for text in texts { terminal.wait(for: text) }
      }
      terminal.press("q")
      expectRestored(terminal, status: 0)
      #expect(terminal.printed.contains(/\.when\(\.currentLoopEnded\): \d+ requests -> \d+ reloads, 0 stale frames/))
    }

    @Test func staleFramesAreSeenBesideTheOtherView() throws {
      let terminal = try PseudoTerminal("Demo")
      terminal.wait(for: "in all: 3 stale frames")
      let frames = terminal.frames.map { frame in
        frame.replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "").components(separatedBy: "\r\n")
          .map { $0.split(separator: " ").joined(separator: " ") }
      }
      for number in 1...2 {
        // A stale frame shows the round before. It is followed by another one, with the new alphas in both views.
        let stale = try #require(
          frames.firstIndex { $0.contains("STALE FRAME: round \(number - 1) frame: round \(number)") })
        let fresh = try #require(
          frames.firstIndex { $0.contains("frame: round \(number) frame: round \(number)") })
        #expect(stale < fresh)
        #expect(frames[stale].contains("32 requests -> 0 reloads 32 requests -> 1 reload"))
      }
      terminal.press("d")
      terminal.wait("one view") { !terminal.screen.contains { $0.contains("main.async") } }
      terminal.press("d")
      terminal.wait(for: "DispatchQueue.main.async")
      terminal.press("q")
      #expect(terminal.waitForEnd() == 0)
    }

    @Test func aTerminalWithoutEscapesGetsPlainRounds() throws {
      let terminal = try PseudoTerminal("Demo", environment: ["TERM": "dumb"])
      #expect(terminal.waitForEnd() == 0)
      for number in 1...3 { #expect(terminal.printed.contains("Round \(number)\r\n")) }
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
      terminal.wait(for: "● exchanging")
      terminal.signal(signal)
      expectRestored(terminal, status: status)
    }

    @Test func theDemoEndsWhenItsTerminalCloses() throws {
      let terminal = try PseudoTerminal("Demo")
      terminal.wait(for: "● exchanging")
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
      // The demo may still have keys to read, so each wait is for all that the screen must show.
      terminal.wait("a whole screen") {
        terminal.screen.contains { $0.contains("DispatchQueue.main.async { reload() }") }
          && !terminal.screen.contains { $0.hasSuffix("…") }
      }
      terminal.resize(rows: 24, columns: 30)
      terminal.wait("a narrow screen") {
        Set([" DispatchQueu… .when(.curre…", " q quit  s stop  d Dispatch  …"]).isSubset(of: terminal.screen)
      }
      // The demo clears a line before writing it. Clearing it afterwards would erase the last column.
      #expect(!terminal.frame.contains("\u{1B}[K\r\n"))
    }
  }

#endif
