import Foundation
import RunLoopTasks

/// The grid on a terminal, redrawn in place, and operated by keys.
@MainActor
final class TerminalScreen {
  private let terminal = Terminal()
  private let palette = Palette()
  private let events = Events()
  private lazy var exchange: Exchange = Exchange(interval: 1) { [unowned self] _ in
    rounds = exchange.round.number
    draw()
  }
  private var rounds = 0
  private var showsTimeline = false

  static func run() -> Never {
    let screen = TerminalScreen()
    screen.begin()
    withExtendedLifetime(screen) { runForEver() }
  }

  private func begin() {
    terminal.take()
    events.onKey { [unowned self] in press($0) }
    events.onSignal(SIGINT) { [unowned self] in quit() }
    for number in [SIGTERM, SIGHUP] {
      events.onSignal(number) { [unowned self] in
        terminal.restore()
        exit(128 + number)
      }
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
    exchange.start()
    draw()
  }

  private func press(_ key: Character) {
    switch key {
    case "q": quit()
    case "s": if exchange.state == .exchanging { exchange.stop() } else { exchange.start() }
    case "+", "=": exchange.interval = min(exchange.interval * 2, 8)
    case "-", "_": exchange.interval = max(exchange.interval / 2, 0.125)
    case "t": showsTimeline.toggle()
    default: return
    }
    exchange.timeline.note("key \(key)")
    setNeedsDisplay()
  }

  /// However much has changed, the screen is drawn once, at the end of the pass.
  private func setNeedsDisplay() {
    MainActor.perform(when: .currentLoopEnded, coalescedBy: ObjectIdentifier(self)) { self.draw() }
  }

  private func quit() -> Never {
    terminal.restore()
    print("\(rounds) round\(rounds == 1 ? "" : "s") of alphas, each one reload")
    exit(0)
  }

  // MARK: Drawing

  private func draw() {
    let size = terminal.size
    let room = max(size.rows - 4, 0)
    let body = showsTimeline ? timeline(room, size.columns) : grid(room, size.columns)
    let blank = Array(repeating: "", count: max(room - body.count, 0))
    let lines = [header(size.columns), ""] + body + blank + ["", footer(size.columns)]
    terminal.show(size.rows < 4 ? Array(lines.prefix(1) + lines.suffix(max(size.rows - 1, 0))) : lines)
  }

  private func header(_ columns: Int) -> String {
    let state = exchange.state == .exchanging ? "● exchanging" : "○ \(exchange.state.rawValue)"
    let interval = String(format: "%.4g", exchange.interval)
    let text = " \(state)   round \(exchange.round.number)   every \(interval) s   two threads, two run loops"
    return palette.bold(String(text.prefix(columns)))
  }

  private func footer(_ columns: Int) -> String {
    let keys = [
      exchange.state == .exchanging ? "s stop" : "s start", "+ slower", "- faster",
      showsTimeline ? "t grid" : "t timeline",
      "q quit",
    ]
    return palette.faint(String((" " + keys.joined(separator: "   ")).prefix(columns)))
  }

  /// The cells, as large as the window allows, and what happened in the round if there is room for it.
  private func grid(_ rows: Int, _ columns: Int) -> [String] {
    let view = exchange.view
    let width = min(max((columns - 2) / view.columns - 1, 1), 12)
    let height = min(max((rows + 1) / view.rows - 1, 1), 4)
    let shown = min(view.columns, (columns - 1) / (width + 1))
    let cells = (0..<view.rows).flatMap { row -> [String] in
      let line = (0..<shown).map { column in
        let cell = row * view.columns + column
        return palette.cell(Colour(cell: cell, of: view.count), alpha: view[cell], width: width)
      }
      return Array(repeating: " " + line.joined(separator: " "), count: height) + [""]
    }
    let words = exchange.round.events + [exchange.round.summary]
    let text = words.map { String(" \($0)".prefix(columns)) }
    return Array((cells.count + text.count <= rows ? cells + text : cells).prefix(rows))
  }

  /// The latest passes of the main loop, a row each.
  private func timeline(_ rows: Int, _ columns: Int) -> [String] {
    let table = TimelineTable(exchange.timeline.passes.suffix(max(rows - 1, 0)), palette: palette)
    return Array(table.lines(width: columns).prefix(rows))
  }
}
