#if os(macOS) || os(Linux)  // programs on other systems have no terminal

  import Foundation
  import RunLoopTasks

  /// The demo on a terminal, with keys.
  @MainActor
  final class TerminalScreen {
    private let terminal = Terminal()
    private let palette = Palette()
    private let events = Events()
    private let exchange = Exchange(interval: 1, comparesMainQueue: true)
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
      let room = max(rows - 4, 0)
      let body = showsTimeline ? timeline(room, columns) : Grid(exchange, palette).lines(rows: room, columns: columns)
      let blank = Array(repeating: "", count: max(room - body.count, 0))
      let (header, footer) = (palette.bold(header(columns)), palette.faint(footer(columns)))
      terminal.show(rows < 4 ? Array([header, footer, ""].prefix(rows)) : [header, ""] + body + blank + ["", footer])
    }

    private func header(_ columns: Int) -> String {
      let state = exchange.state == .exchanging ? "● exchanging" : "○ \(exchange.state.rawValue)"
      let interval = String(format: "%.4g", exchange.interval)
      let short = " \(state)   round \(exchange.round)   every \(interval) s"
      return [short + "   two threads, two run loops", short].first { $0.count <= columns } ?? short.cut(to: columns)
    }

    private func footer(_ columns: Int) -> String {
      guard terminal.hasKeys else {
        return " Ctrl-C quits (no keys, because standard input is not a terminal)".cut(to: columns)
      }
      let stop = exchange.state == .exchanging ? "s stop" : "s start"
      let long = [
        "q quit", stop, exchange.comparesMainQueue ? "d hide Dispatch" : "d show Dispatch",
        exchange.coalesces ? "c stop coalescing" : "c coalesce", showsTimeline ? "t views" : "t timeline",
        "-/+ interval",
      ]
      let short = ["q quit", stop, "d Dispatch", "c coalesce", showsTimeline ? "t views" : "t passes", "-/+ pace"]
      let lines = [(long, "   "), (long, "  "), (short, "  ")].map { " " + $0.joined(separator: $1) }
      return lines.first { $0.count <= columns } ?? lines[2].cut(to: columns)
    }

    /// The latest passes of the main loop, one in each row.
    private func timeline(_ rows: Int, _ columns: Int) -> [String] {
      let table = TimelineTable(exchange.timeline.passes.suffix(max(rows - 1, 0)))
      return Array(table.lines(width: columns, palette: palette).prefix(rows))
    }
  }

#endif
