import Foundation

/// Where the demo shows its grid.
@MainActor
protocol Screen {
  func show(_ view: CollectionView, _ round: Round)
}

/// Prints one round after the other.
struct PlainScreen: Screen {
  func show(_ view: CollectionView, _ round: Round) {
    let grid = view.lines { String(format: "%.2f", $0) }
    print("Round \(round.number)")
    for line in round.events + [round.summary] + grid { print("  \(line)") }
    fflush(nil)
  }
}

/// Redraws in place. It changes no setting of the terminal, so there is none to restore.
final class TerminalScreen: Screen {
  private var linesDrawn = 0

  func show(_ view: CollectionView, _ round: Round) {
    let grid = view.lines(Self.shade)
    let all = ["Round \(round.number) (Ctrl-C ends)", ""] + grid + [""] + round.events + [round.summary]
    let size = Self.size
    let lines = all.prefix(max(size.rows - 1, 1)).map { $0.prefix(size.columns) }
    let back = linesDrawn == 0 ? "" : "\u{1B}[\(min(linesDrawn, size.rows))A"
    linesDrawn = lines.count
    print(back + lines.map { "\r\u{1B}[K\($0)" }.joined(separator: "\n"))
    fflush(nil)
  }

  /// What the window holds at the moment.
  private static var size: (rows: Int, columns: Int) {
    var window = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_row > 0 else { return (24, 80) }
    return (Int(window.ws_row), Int(window.ws_col))
  }

  private static func shade(_ alpha: Double) -> String {
    let shades = ["  ", "░░", "▒▒", "▓▓", "██"]
    return shades[min(Int(alpha * Double(shades.count)), shades.count - 1)]
  }
}

/// Calls `handler` on the main thread at Ctrl-C, for as long as the result is kept.
@MainActor
func onInterrupt(_ handler: @escaping @MainActor () -> Void) -> any DispatchSourceSignal {
  signal(SIGINT, SIG_IGN)
  let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
  source.setEventHandler { MainActor.assumeIsolated(handler) }
  source.activate()
  return source
}
