import Arguments
import CoreFoundation
import Foundation
import RunLoopTasks

/// Act one as text: prints its rounds one after the other.
@MainActor
enum PlainScreen {
  static func run(rounds: Int, interval: TimeInterval, palette: Palette) -> Never {
    let exchange = Exchange(interval: interval)
    var picture: [String] = []
    output(([Exchange.explanation] + Exchange.systems.prefix(1)).flatMap { $0.wrapped(to: 79) + [""] })
    exchange.onFrame = {
      if picture.isEmpty { picture = PanelBlock(panels: exchange.panels, width: 38, palette: palette).lines() + [""] }
      guard exchange.isRoundOver else { return }
      let passes = exchange.timeline.rows(from: .question).flatMap { $0.lines(width: 78, palette: palette) }
      let score = exchange.views.map(\.score)
      let lines = (picture + (passes + score).map { " \($0)" }).map { " \($0)".trimmed }
      output(["Round \(exchange.round), its first simulated frame:", ""] + lines + [""])
      picture = []
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

/// Writes lines to the standard output. If that fails, which `print` hides, says so and ends the program.
func output(_ lines: [String]) {
  var rest = ArraySlice(lines.map { $0 + "\n" }.joined().utf8)
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    if count >= 0 {
      rest = rest.dropFirst(count)
    } else if errno != EINTR, errno != EAGAIN {
      let reason = String(cString: strerror(errno))
      printError("cannot write the output: \(reason)")
      exit(74)  // EX_IOERR
    }
  }
}
