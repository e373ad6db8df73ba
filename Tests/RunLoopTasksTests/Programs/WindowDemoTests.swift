import Foundation
import Testing

#if os(macOS) || os(Linux)  // Other platforms cannot start processes.

  /// The demo in windows of different sizes.
  @Suite struct WindowDemoTests {
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
      terminal.wait(for: "● exchanging")
      terminal.press("q")
      #expect(terminal.waitForEnd() == 0)
    }

    @Test(arguments: [(24, 80), (18, 60), (40, 120)])
    func codeAndMessagesStandBesideTheCells(rows: Int, columns: Int) throws {
      let terminal = try PseudoTerminal("Demo", rows: rows, columns: columns)
      terminal.wait(for: "32 requests -> 1 reload")
      let summary = try #require(terminal.frame.split(separator: "\r\n").first { $0.contains(" -> 1 reload") })
      #expect(summary.components(separatedBy: "\u{1B}[48;5;").count - 1 == 8)
      for text in [
        "RunLoop.current.perform { reload() }", "  .when(.currentLoopEnded)", "  .coalesced(by: view)",
        "main -> secondary: wants 32 alphas", "secondary -> main: sends 32 alphas", "main: 32 requests to reload",
        "main: 1 reload as its pass ends", "-/+ interval",
      ] {
        #expect(terminal.screen.contains { $0.hasSuffix(text) }, "\(text)")
      }
    }

    @Test func longLinesEndWithAnEllipsis() throws {
      let terminal = try PseudoTerminal("Demo", rows: 24, columns: 30)
      terminal.wait(for: " -> 1 reload")
      let header = try #require(terminal.screen.first)
      #expect(header.hasPrefix(" ● exchanging   round ") && header.hasSuffix("…") && header.count == 30)
      #expect(terminal.screen.last == " q quit  s stop  c stop coale…")
      #expect(terminal.screen.contains(" RunLoop.current.perform { re…"))
      // The demo clears a line before writing it. Clearing it afterwards would erase the last column.
      #expect(!terminal.frame.contains("\u{1B}[K\r\n"))
    }

    @Test func theTimelineFitsTheWindow() throws {
      let terminal = try PseudoTerminal("Demo", rows: 60, columns: 120)
      terminal.settle()
      terminal.press("t")
      let (all, cut) = (
        "pass afterWaiting beforeTimers beforeSources beforeWaiting", "pass afterWaiting beforeSour… beforeWaiting"
      )
      // The titles of each width differ from those before, so the test recognizes the new frame.
      for (columns, titles, reload) in [
        (80, all, "● currentLoopEnded: reload"), (79, cut, "● currentLoopEnded: reload"),
        (100, all, "● currentLoopEnded: reload"), (60, cut, "● currentLoopEnded: reload"),
        (59, "pass afterWaiting beforeWaiting", "● currentLoopEnded: reload"),
        (40, "pass beforeWaiting", "● currentLoopEnded: reload"), (18, "beforeWaiting", "● currentLoopEnde…"),
        (30, "pass beforeWaiting", "● currentLoopEnded: rel…"), (8, "beforeW…", "● curre…"),
        (19, "pass beforeWaiting", "● currentLoo…"), (1, "…", "…"),
      ] {
        terminal.resize(rows: 60, columns: columns)
        terminal.wait("the timeline in \(columns) columns") {
          terminal.screen.count > 2
            && terminal.screen[2].split(separator: " ").joined(separator: " ") == titles
        }
        #expect(terminal.screen.contains { $0.hasSuffix(reload) }, "\(columns) columns")
        #expect(terminal.screen.allSatisfy { $0.count <= columns })
      }
    }
  }

#endif
