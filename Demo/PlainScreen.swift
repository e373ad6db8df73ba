import CoreFoundation
import Foundation
import RunLoopTasks

/// Prints the rounds one after the other.
@MainActor
enum PlainScreen {
  static func run(rounds: Int, interval: TimeInterval) -> Never {
    let exchange = Exchange(interval: interval) { exchange in
      show(exchange.view, exchange.round)
      if exchange.round.number == rounds { exit(0) }
    }
    exchange.start()
    runForEver()
  }

  private static func show(_ view: CollectionView, _ round: Round) {
    let grid = view.lines { String(format: "%.2f", view[$0]) }
    print("Round \(round.number)")
    for line in round.events.map(\.line) + [round.summary] + grid { print("  \(line)") }
    fflush(nil)
  }
}

/// Runs the main loop until the program exits.
func runForEver() -> Never {
  while true { CFRunLoopRun() }  // as in an app; Foundation's `run` leaves the loop after each source
}
