#if os(macOS) || os(Linux)  // programs on other systems have no terminal

  import Foundation
  import RunLoopTasks

  /// The demo on a terminal, with keys.
  @MainActor
  final class TerminalScreen {
    private let terminal = Terminal()
    private let palette = Palette()
    private let events = Events()
    private let exchange = Exchange(interval: 1)
    private var showsTimeline = false
    /// Whether a stale frame stays on the screen for now.
    private var holdsFrame = false

    static func run() -> Never {
      let screen = TerminalScreen()
      screen.begin()
      withExtendedLifetime(screen) { runForEver() }
    }

    private func begin() {
      terminal.take()
      if terminal.hasKeys {
        events.onKey { [unowned self] in
          press($0)
        } onEnd: { [unowned self] in
          leave(SIGHUP)
        }
      }
      events.onSignal(SIGINT) { [unowned self] in quit() }
      for number in [SIGTERM, SIGHUP, SIGQUIT] {
        events.onSignal(number) { [unowned self] in leave(number) }
      }
      events.onSignal(SIGTSTP) { [unowned self] in
        terminal.restore()
        raise(SIGSTOP)
      }
      events.onSignal(SIGCONT) { [unowned self] in
        terminal.take()
        setNeedsDisplay()
      }
      events.onSignal(SIGWINCH) { [unowned self] in setNeedsDisplay() }
      exchange.onFrame = { [unowned self] in show() }
      exchange.onStateChange = { [unowned self] in setNeedsDisplay() }
      exchange.start()
      draw()
    }

    private func press(_ key: Character) {
      switch key {
      case "q": quit()
      case "s": if exchange.state == .exchanging { exchange.stop() } else { exchange.start() }
      case "d": exchange.comparesMainQueue.toggle()
      case "c": exchange.coalesces.toggle()
      case "+", "=": exchange.interval = min(exchange.interval * 2, 512)
      case "-", "_": exchange.interval = max(exchange.interval / 2, 0.125)
      case "t": showsTimeline.toggle()
      default: return
      }
      exchange.timeline.note("key \(key)")
      setNeedsDisplay()
    }

    /// Draws the screen once at the end of the pass, after any number of changes.
    private func setNeedsDisplay() {
      MainActor.perform(when: .currentLoopEnded, coalescedBy: ObjectIdentifier(self)) { self.draw() }
    }

    private func quit() -> Never {
      terminal.restore()
      for view in exchange.views {
        let tally = view.total
        output("\(view.way.title): \(tally.summary), \(counted(tally.staleFrames, "stale frame"))\n")
      }
      exit(0)
    }

    /// Ends the program with the exit status of a signal.
    private func leave(_ signal: Int32) -> Never {
      terminal.restore()
      exit(128 + signal)
    }

    // MARK: Drawing

    /// Draws a frame.
    ///
    /// A display shows each frame for at least 8 ms. Here the next one comes within a millisecond, so a stale frame
    /// stays long enough to be seen. The loop does not wait for that.
    private func show() {
      draw()
      guard !exchange.isRoundOver, !holdsFrame else { return }
      holdsFrame = true
      MainActor.perform(when: .currentLoopEnded, after: .seconds(min(exchange.interval / 2, 0.5))) { [self] in
        holdsFrame = false
        draw()
      }
    }

    private func draw() {
      guard !holdsFrame else { return }
      let (rows, columns) = terminal.size
      let (header, footer) = (header(columns), footer(columns))
      let room = max(rows - header.count - footer.count - 1, 0)
      let body = showsTimeline ? timeline(room, columns) : Grid(exchange, palette, columns: columns).lines(rows: room)
      func blank(_ count: Int) -> [String] { Array(repeating: "", count: count) }
      let lines =
        rows < 6 ? header.prefix(1) + footer + blank(rows) : header + body + blank(room - body.count + 1) + footer
      terminal.show(Array(lines.prefix(rows)))
    }

    private func header(_ columns: Int) -> [String] {
      let state = exchange.state == .exchanging ? "● exchanging" : "○ \(exchange.state.rawValue)"
      let round = " \(state)   round \(exchange.round)"
      let status = "\(round)   every \(String(format: "%.4g", exchange.interval)) s"
      let note = "simulated frames, slowed down"
      let lines = columns < 80 ? [fitting([status, round], columns), " " + note] : ["\(status)   \(note)", ""]
      return lines.map { palette.styled($0.cut(to: columns), .title) }
    }

    private func footer(_ columns: Int) -> [String] {
      let stop = exchange.state == .exchanging ? "s stop" : "s start"
      let long = [
        "q quit", stop, exchange.comparesMainQueue ? "d hide Dispatch" : "d show Dispatch",
        exchange.coalesces ? "c stop coalescing" : "c coalesce", showsTimeline ? "t views" : "t timeline",
        "-/+ interval",
      ]
      let short = ["q quit", stop, "d Dispatch", "c coalesce", showsTimeline ? "t views" : "t passes", "-/+ pace"]
      let none = ["Ctrl-C quits", "(no keys,", "because standard input", "is not a terminal)"]
      let keys = terminal.hasKeys ? long.joined().count + 11 < columns ? long : short : none
      // Wraps between the keys, not inside.
      let words = keys.map { $0.replacing(" ", with: "\u{A0}") }.joined(separator: terminal.hasKeys ? "  " : " ")
      return words.wrapped(to: columns - 1).map { palette.styled(" \($0)", .faint) }
    }

    /// The latest passes of the main loop.
    private func timeline(_ rows: Int, _ columns: Int) -> [String] {
      PassList(exchange.timeline.passes).lines(width: columns - 1, palette: palette).suffix(rows).map { " \($0)" }
    }
  }

#endif
