import Foundation
import Testing

#if os(macOS) || os(Linux)  // Other platforms cannot start processes.

  /// The demo on a terminal: its keys, signals and colors.
  @Suite(.onOwnLoop) struct TerminalDemoTests {
    @Test func keysControlTheDemo() throws {
      let terminal = try PseudoTerminal("Demo")
      terminal.wait(for: "● exchanging")
      terminal.wait(for: "32 requests -> 1 reload")
      for (keys, texts) in [
        ("s", ["○ stopped", "s start"]), ("s", ["● exchanging"]), ("-", ["every 0.5 s"]), ("++", ["every 2 s"]),
        ("t", ["pass afterWaiting", "currentLoopEnded: reload"]), ("t", ["t timeline"]),
      ] {
        terminal.press(keys)
        for text in texts { terminal.wait(for: text) }
      }
      terminal.press("q")
      expectRestored(terminal, status: 0)
    }

    @Test func aKeyTurnsCoalescingOff() throws {
      let terminal = try PseudoTerminal("Demo")
      terminal.settle()
      terminal.press("d")
      terminal.wait(for: "d show Dispatch")
      #expect(terminal.screen.contains { $0.contains("  .coalesced(by: view)") })
      // The next round begins at once, although it was due in minutes.
      terminal.press("c")
      terminal.wait(for: "32 requests -> 32 reloads")
      for text in ["currentLoopEnded: reload ×32", "// .coalesced(by: view)", "c coalesce"] {
        terminal.wait(for: text)
      }
      terminal.press("t")
      terminal.wait(for: "currentLoopEnded: reload ×32")
      terminal.press("tc")
      terminal.wait(for: "32 requests -> 1 reload")
      terminal.wait(for: "c stop coalescing")
      terminal.press("q")
      #expect(terminal.waitForEnd() == 0)
      let total = /\.when\(\.currentLoopEnded\): (\d+) requests -> (\d+) reloads, 0 stale frames/
      let match = try #require(terminal.printed.firstMatch(of: total))
      let (requests, reloads) = (Int(match.1) ?? 0, Int(match.2) ?? 0)
      #expect(requests % 32 == 0)
      #expect(reloads == requests / 32 + 31)
    }

    @Test(arguments: [(24, 80), (18, 60), (40, 120)])
    func staleFramesAreSeenAndCountedBesideTheOtherView(rows: Int, columns: Int) throws {
      let terminal = try PseudoTerminal("Demo", rows: rows, columns: columns)
      terminal.wait("the third round") { terminal.round > 2 }
      terminal.press("q")
      #expect(terminal.waitForEnd() == 0)
      for number in 1...2 {
        // A stale frame shows the round before. It is followed by another one, with the new alphas in both views.
        let stale = try #require(
          terminal.frames.firstIndex { $0.contains("STALE FRAME: round \(number - 1) frame: round \(number)") })
        let fresh = try #require(
          terminal.frames.firstIndex { $0.contains("frame: round \(number) frame: round \(number)") })
        #expect(stale < fresh)
        let words = terminal.frames[stale]
        #expect(words.contains("32 requests -> 0 reloads 32 requests -> 1 reload"))
        #expect(words.contains("in all: \(number) stale frame\(number == 1 ? "" : "s") in all: 0 stale frames"))
        #expect(words.contains { $0.hasSuffix("beforeWaiting ▸ currentLoopEnded: reload, STALE FRAME") })
        // On a busy machine the main queue runs its 32 blocks in more than one pass.
        #expect(terminal.frames[fresh].contains { $0.contains("main queue: reload ×") })
      }
    }

    @Test func aKeyHidesTheViewOfTheMainQueue() throws {
      let terminal = try PseudoTerminal("Demo", rows: 24, columns: 80)
      terminal.wait(for: "DispatchQueue.main.async")
      terminal.press("d")
      terminal.wait("one view") { !terminal.frame.isEmpty && !terminal.screen.contains { $0.contains("main.async") } }
      let round = terminal.round
      terminal.wait("another round") { terminal.round > round }
      #expect(terminal.words.contains("in all: 0 stale frames"))
      terminal.press("d")
      terminal.wait(for: "STALE FRAME: round")
      terminal.press("q")
      #expect(terminal.waitForEnd() == 0)
      let staleFrames =
        /DispatchQueue\.main\.async: .* [1-9]\d* stale frames?\r\n\.when\(\.currentLoopEnded\): .* 0 stale frames\r\n/
      #expect(terminal.printed.contains(staleFrames))
    }

    @Test(arguments: ["dumb", ""])
    func aTerminalWithoutEscapesGetsPlainRounds(name: String) throws {
      let terminal = try PseudoTerminal("Demo", environment: ["TERM": name])
      #expect(terminal.waitForEnd() == 0)
      for number in 1...3 { #expect(terminal.printed.contains("Round \(number)\r\n")) }
      #expect(!terminal.printed.contains("\u{1B}"))
    }

    @Test func stoppingDoesNotReload() throws {
      let terminal = try PseudoTerminal("Demo", rows: 60, columns: 120)
      terminal.settle()
      terminal.press("s")
      terminal.wait(for: "○ stopped")
      for text in ["32 requests -> 1 reload", "32 alphas from secondary, 32 requests", "currentLoopEnded: reload"] {
        #expect(terminal.screen.contains { $0.contains(text) }, "\(text)")
      }
    }

    @Test func aShorterIntervalTakesEffectAtOnce() throws {
      let terminal = try PseudoTerminal("Demo")
      terminal.settle()
      let round = terminal.round
      terminal.press(String(repeating: "-", count: 12))
      terminal.wait("the next round") { terminal.round > round }
      terminal.wait(for: "every 0.125 s")
    }

    @Test func withoutInputTheDemoOffersNoKeys() throws {
      let terminal = try PseudoTerminal("Demo", hasKeys: false)
      terminal.wait(for: "32 requests -> 1 reload")
      terminal.wait(for: "Ctrl-C quits")
      #expect(!terminal.screen.contains { $0.contains("q quit") })
      terminal.signal(SIGINT)
      expectRestored(terminal, status: 0)
    }

    // MARK: signals

    @Test(arguments: [
      (SIGINT, Int32(0)), (SIGTERM, 128 + SIGTERM), (SIGHUP, 128 + SIGHUP), (SIGQUIT, 128 + SIGQUIT),
    ])
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

    @Test func unreadKeysDoNotReachTheShell() throws {
      let terminal = try PseudoTerminal("Demo")
      terminal.wait(for: "● exchanging")
      terminal.signal(SIGSTOP)
      // The demo reads fewer keys at once.
      terminal.press("q" + String(repeating: "x", count: 299))
      terminal.wait("all keys") { terminal.unreadKeys == 300 }
      terminal.signal(SIGCONT)
      expectRestored(terminal, status: 0)
      #expect(terminal.unreadKeys == 0)
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
      if sign == "█" { #expect(!terminal.printed.contains("\u{1B}[1m")) }
      terminal.press("q")
      #expect(terminal.waitForEnd() == 0)
    }
  }

  extension PseudoTerminal {
    /// The lines of the last complete frame, with single blanks between words.
    var words: [String] { screen.map { $0.split(separator: " ").joined(separator: " ") } }

    /// The lines of all frames, with single blanks between words.
    fileprivate var frames: [[String]] {
      printed.components(separatedBy: "\u{1B}[H").dropFirst().map { frame in
        frame.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "").components(separatedBy: "\r\n")
          .map { $0.split(separator: " ").joined(separator: " ") }
      }
    }

    /// Waits for the end of a round whose next round is minutes away.
    func settle() {
      wait(for: "● exchanging")
      press(String(repeating: "+", count: 9))
      wait(for: "every 512 s")
      // The interval may have changed during a round. A restart begins another round.
      press("s")
      wait(for: "○ stopped")
      press("s")
      wait("a round") {
        let screen = screen
        return screen.contains { $0.contains("● exchanging") }
          && screen.contains { $0.contains("32 requests -> 1 reload") }
      }
    }

    /// The number of the round in the last frame; 0 before the first frame.
    fileprivate var round: Int { screen.first?.firstMatch(of: /round (\d+)/).flatMap { Int($0.1) } ?? 0 }
  }

#endif
