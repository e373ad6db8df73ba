#if os(macOS) || os(Linux)  // programs on other systems have no terminal

  import Foundation
  import RunLoopTasks

  /// Act one on a terminal, with keys.
  @MainActor
  final class TerminalScreen {
    private let terminal = Terminal()
    private let exchange = Exchange(interval: 1)
    /// Whether a stale frame stays on the screen for now.
    private var holdsFrame = false

    static func run() -> Never {
      let screen = TerminalScreen()
      let events = Events(
        screen.terminal, onKey: screen.press, onResize: screen.setNeedsDisplay, onResume: screen.setNeedsDisplay)
      screen.exchange.onFrame = screen.show
      screen.exchange.onStateChange = screen.setNeedsDisplay
      screen.exchange.start()
      screen.draw()
      withExtendedLifetime(events) { runForEver() }
    }

    private func press(_ key: Character) {
      switch key {
      case "q":
        terminal.quit(exchange.views.map(\.score) + [Exchange.systems[0], "Next: swift run Demo idle"])
      case "s": if exchange.state == .running { exchange.stop() } else { exchange.start() }
      case "+", "=": exchange.interval = max(exchange.interval / 2, 0.125)
      case "-", "_": exchange.interval = min(exchange.interval * 2, 512)
      default: return
      }
      setNeedsDisplay()
    }

    /// Draws the screen once at the end of the pass, after any number of changes.
    private func setNeedsDisplay() {
      MainActor.perform(when: .currentLoopEnded, coalescedBy: OwnerKey(self)) { self.draw() }
    }

    /// Draws a frame. A display shows each one for at least 8 ms. Here the next one comes within a millisecond, so a
    /// stale frame stays long enough to be seen. The loop does not wait for that.
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
      let isRunning = exchange.state == .running
      let status = "\(isRunning ? "●" : "○") \(exchange.state.rawValue)   round \(exchange.round)"
      let pace = "\(status)   every \(String(format: "%.4g", exchange.interval)) s"
      terminal.show(
        Page(
          status: ["\(pace)   simulated frames, slowed down", "\(pace)   simulated frames", status],
          explanation: Exchange.explanation, note: Exchange.systems, panels: exchange.panels,
          passes: exchange.timeline.rows(from: .answer),
          keys: ["q quit", isRunning ? "s stop" : "s start", "+ faster", "- slower"]))
    }
  }

#endif
