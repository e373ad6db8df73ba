import CoreFoundation
import Foundation
import RunLoopTasks

/// Prints the rounds one after the other.
@MainActor
enum PlainScreen {
  static func run(rounds: Int, interval: TimeInterval, palette: Palette) -> Never {
    let exchange = Exchange(interval: interval)
    var pictures: [String] = []
    exchange.onFrame = {
      if pictures.isEmpty { pictures = Grid(exchange, palette, columns: 78).pictures() + [""] }
      guard exchange.isRoundOver else { return }
      let passes = PassList(exchange.timeline.passesOfRound, from: .question).lines(width: 78, palette: palette)
      let views = exchange.views.map { view in
        "\(view.way.title): \(view.latest.summary), \(counted(view.latest.staleFrames, "stale frame"))"
      }
      let lines = (pictures + (passes + views).map { " \($0)" }).map { " \($0)".trimmed + "\n" }
      output("Round \(exchange.round), its first simulated frame:\n\n\(lines.joined())\n")
      pictures = []
      if exchange.round == rounds { exit(0) }
    }
    exchange.start()
    runForEver()
  }
}

/// Runs the main loop until the program exits.
func runForEver() -> Never {
  while true { CFRunLoopRun() }  // as in an app; Foundation's `run` leaves the loop after each source
}
