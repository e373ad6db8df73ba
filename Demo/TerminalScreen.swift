#if os(macOS) || os(Linux)  // programs on other systems have no terminal

  import Foundation
  import RunLoopTasks

  /// The demo on a terminal, with keys.
  @MainActor
  final class TerminalScreen {
    private let terminal = Terminal()
    private let palette = Palette()
    private let events = Events()
    private lazy var exchange: Exchange = Exchange(interval: 1) { [unowned self] _ in draw() }
    private var showsTimeline = false

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
      exchange.onStateChange = { [unowned self] in setNeedsDisplay() }
      exchange.start()
      draw()
    }

    private func press(_ key: Character) {
      switch key {
      case "q": quit()
      case "s": if exchange.state == .exchanging { exchange.stop() } else { exchange.start() }
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
      print(exchange.totals.description)
      exit(0)
    }

    /// Ends the program with the exit status of a signal.
    private func leave(_ signal: Int32) -> Never {
      terminal.restore()
      exit(128 + signal)
    }

    // MARK: Drawing

    private func draw() {
      let (rows, columns) = terminal.size
      let room = max(rows - 4, 0)
      let body = showsTimeline ? timeline(room, columns) : Grid(exchange, palette).lines(rows: room, columns: columns)
      let blank = Array(repeating: "", count: max(room - body.count, 0))
      let (header, footer) = (palette.bold(header.cut(to: columns)), palette.faint(footer(columns)))
      terminal.show(rows < 4 ? Array([header, footer, ""].prefix(rows)) : [header, ""] + body + blank + ["", footer])
    }

    private var header: String {
      let state = exchange.state == .exchanging ? "● exchanging" : "○ \(exchange.state.rawValue)"
      let interval = String(format: "%.4g", exchange.interval)
      return " \(state)   round \(exchange.round.number)   every \(interval) s   two threads, two run loops"
    }

    private func footer(_ columns: Int) -> String {
      guard terminal.hasKeys else {
        return " Ctrl-C quits (no keys, because standard input is not a terminal)".cut(to: columns)
      }
      let keys = [
        "q quit", exchange.state == .exchanging ? "s stop" : "s start",
        exchange.coalesces ? "c stop coalescing" : "c coalesce", showsTimeline ? "t grid" : "t timeline",
        "-/+ interval",
      ]
      let lines = ["   ", "  ", " "].map { " " + keys.joined(separator: $0) }
      return lines.first { $0.count <= columns } ?? lines[1].cut(to: columns)
    }

    /// The latest passes of the main loop, one in each row.
    private func timeline(_ rows: Int, _ columns: Int) -> [String] {
      let table = TimelineTable(exchange.timeline.passes.suffix(max(rows - 1, 0)))
      return Array(table.lines(width: columns, palette: palette).prefix(rows))
    }
  }

#endif
