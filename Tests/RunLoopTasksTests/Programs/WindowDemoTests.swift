import Foundation
import Testing

#if os(macOS) || os(Linux)  // Other platforms cannot start processes.

  /// The demo in windows of different sizes.
  @Suite(.onOwnLoop) struct WindowDemoTests {
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
    func bothViewsStandBetweenTheirCodeAndTheirFrames(rows: Int, columns: Int) throws {
      let terminal = try PseudoTerminal("Demo", rows: rows, columns: columns)
      terminal.wait(for: "STALE FRAME: round")
      let code =
        rows == 18
        ? ["DispatchQueue.main.async .when(.currentLoopEnded)"]
        : [
          "DispatchQueue.main.async { reload() } RunLoop.current.perform { reload() }", ".when(.currentLoopEnded)",
          ".coalesced(by: view)",
        ]
      for line in code { #expect(terminal.words.contains(line), "\(line)") }
      #expect(terminal.words.contains { $0.hasSuffix("currentLoopEnded: reload, STALE FRAME") })
      #expect(terminal.words.last?.hasSuffix(rows == 18 ? "-/+ pace" : "-/+ interval") == true)
      #expect(!terminal.words.contains { $0.hasSuffix("…") })
      #expect(terminal.screen.count == rows)
    }

    @Test func longLinesEndWithAnEllipsis() throws {
      let terminal = try PseudoTerminal("Demo", rows: 24, columns: 30)
      terminal.wait(for: "STALE FRAME:")
      let header = try #require(terminal.screen.first)
      #expect(header.hasPrefix(" ● exchanging   round ") && header.hasSuffix("…") && header.count == 30)
      #expect(terminal.screen.last == " q quit  s stop  d Dispatch  …")
      #expect(terminal.screen.contains(" DispatchQueu… .when(.curre…"))
      // The demo clears a line before writing it. Clearing it afterwards would erase the last column.
      #expect(!terminal.frame.contains("\u{1B}[K\r\n"))
    }

    @Test func theTimelineFitsTheWindow() throws {
      let terminal = try PseudoTerminal("Demo", rows: 60, columns: 120)
      terminal.settle()
      terminal.press("t")
      let (all, three, two) = (
        "pass afterWaiting beforeTimers beforeSources beforeWaiting", "pass afterWaiting beforeSources beforeWaiting",
        "pass afterWaiting beforeWaiting"
      )
      let stale = "● currentLoopEnded: reload, STALE FRAME"
      // The titles of each width differ from those before, so the test recognizes the new frame.
      for (columns, titles, reload) in [
        (79, three, stale), (92, all, stale), (78, two, "reload, STALE FRAME"), (91, three, stale),
        (60, two, "● currentLoopEnded: reload, STALE FRA…"), (19, "pass beforeWaiting", "● currentLoo…"),
        (18, "beforeWaiting", "● currentLoopEnde…"), (8, "beforeW…", "● curre…"), (1, "…", "…"),
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
