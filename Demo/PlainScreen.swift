import CoreFoundation
import Foundation
import RunLoopTasks

/// Prints the rounds one after the other.
@MainActor
enum PlainScreen {
  static func run(rounds: Int, interval: TimeInterval, comparesMainQueue: Bool) -> Never {
    let exchange = Exchange(interval: interval, comparesMainQueue: comparesMainQueue)
    exchange.onFrame = {
      guard exchange.isRoundOver else { return }
      show(exchange)
      if exchange.round == rounds { exit(0) }
    }
    exchange.start()
    runForEver()
  }

  private static func show(_ exchange: Exchange) {
    let passes = RoundTimeline(exchange.timeline.passesOfRound).lines(width: 78, palette: .none)
    let views = exchange.views.map { view in
      "\(view.way.title): \(view.latest.summary), \(counted(view.latest.staleFrames, "stale frame"))"
    }
    let grid = stride(from: 0, to: CollectionView.count, by: CollectionView.columns).map { start in
      exchange.alphas[start..<start + CollectionView.columns].map { String(format: "%.2f", $0) }.joined(separator: " ")
    }
    output("Round \(exchange.round)\n" + (passes + views + grid).map { "  \($0)\n" }.joined())
  }
}

/// Runs the main loop until the program exits.
func runForEver() -> Never {
  while true { CFRunLoopRun() }  // as in an app; Foundation's `run` leaves the loop after each source
}
