import Arguments
import Foundation

/// Rounds of the exchange as an animated SVG. The messages move between the threads, the cells change at the reload,
/// and a table below shows the activities of the main loop.
struct Recording {
  /// A round, at its reload.
  struct Frame {
    let round: Round
    let alphas: [Double]
    /// The passes of the main loop since the frame before.
    let passes: [Timeline.Pass]
  }

  private static let side = 40
  private static let gap = 6
  private static let lineHeight = 18
  private static let margin = 10
  private static let top = 38
  private static let width = 860
  /// The place of the secondary thread.
  private static let secondary = (x: 700, width: 150)

  let frames: [Frame]
  let view: CollectionView

  private var script: RecordingScript { RecordingScript(rounds: frames.map(\.round)) }
  private var gridRight: Int { Self.margin + view.columns * (Self.side + Self.gap) - Self.gap }
  private var gridBottom: Int { Self.top + view.rows * (Self.side + Self.gap) - Self.gap }

  var svg: String {
    let tables = frames.map { TimelineTable($0.passes) }
    let height = gridBottom + ((tables.map(\.count).max() ?? 0) + 3) * Self.lineHeight
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(height)" role="img" \
      aria-label="\(counted(frames.count, "round")) of the demo: two threads exchange messages, a grid of cells \
      reloads, and a table shows the activities of the main run loop">
      <style>
      text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #57606a; white-space: pre }
      .title { fill: #1f2328; font-weight: bold }
      .task { fill: #1a7f37; font-weight: bold }
      .line { fill: none; stroke: #8c959f }
      .message text { fill: #ffffff }
      .message path { fill: #0969da }
      .later { visibility: hidden }
      @media (prefers-color-scheme: dark) {
        text { fill: #9198a1 }
        .title { fill: #f0f6fc }
        .task { fill: #3fb950 }
      }
      \(script.styles(alphas: frames.map(\.alphas), travel: travel))
      </style>
      \(line("main thread", x: Self.margin, y: 24, style: "title"))
      \(line("secondary thread", x: Self.secondary.x, y: 24, style: "title"))
      \(secondThread)
      \(cells)
      \(zip(frames, tables).enumerated().map { group($0, $1.0, $1.1) }.joined(separator: "\n"))
      </svg>

      """
  }

  private var cells: String {
    (0..<view.count).map { cell in
      let (column, row) = (cell % view.columns, cell / view.columns)
      let (x, y) = (Self.margin + column * (Self.side + Self.gap), Self.top + row * (Self.side + Self.gap))
      let alpha = String(format: "%.2f", frames.first?.alphas[cell] ?? 0)
      return """
        <rect id="c\(cell)" x="\(x)" y="\(y)" width="\(Self.side)" height="\(Self.side)" rx="6" \
        fill="\(view.color(of: cell).hexadecimal)" opacity="\(alpha)"/>
        """
    }.joined(separator: "\n")
  }

  private var secondThread: String {
    let (x, middle) = (Self.secondary.x, (Self.top + gridBottom) / 2)
    let height = gridBottom - Self.top
    return "<path class=\"line\" d=\"M\(x) \(Self.top)h\(Self.secondary.width)v\(height)h-\(Self.secondary.width)z\"/>"
      + ["its run loop", "sleeps until a", "message comes"].enumerated().map { number, text in
        line(text, x: x + 8, y: middle + number * Self.lineHeight, style: "")
      }.joined()
  }

  // MARK: Rounds

  private func group(_ index: Int, _ frame: Frame, _ table: TimelineTable) -> String {
    let later = index > 0 ? " class=\"later\"" : ""
    let x = gridRight + 2 * Self.margin
    var messages = 0
    var words = 0
    let events = frame.round.events.enumerated().map { number, event in
      let id = "e\(index)-\(number)"
      if event.receiver != nil {
        messages += 1
        return message(event, id: id, y: Self.top + 40 * messages - 30)
      }
      words += 1
      return
        "<g id=\"\(id)\"\(later)>\(line(event.line, x: x, y: Self.top + 90 + Self.lineHeight * words, style: "task"))</g>"
    }
    return """
      <g id="q\(index)"\(later)>\(line("round \(frame.round.number)", x: x, y: 24, style: "title"))\(events.joined())</g>
      <g id="r\(index)"\(later)>\(result(frame, table))</g>
      """
  }

  private func result(_ frame: Frame, _ table: TimelineTable) -> String {
    let y = gridBottom + 2 * Self.lineHeight
    let rows = table.rows(width: TimelineTable.fullWidth).enumerated().flatMap { number, row in
      row.map { cell in
        line(
          cell.text, x: Self.margin + (cell.column - 1) * 8, y: y + (number + 1) * Self.lineHeight,
          style: number == 0 ? "title" : cell.isTask ? "task" : "")
      }
    }
    let slow = "Slow motion: this round took \(String(format: "%.2f", frame.round.milliseconds)) ms."
    return line(
      "Round \(frame.round.number): \(frame.round.summary)", x: Self.margin, y: y - Self.lineHeight / 2, style: "title")
      + line(slow, x: gridRight + 2 * Self.margin, y: y - Self.lineHeight / 2, style: "") + rows.joined()
  }

  // MARK: Messages

  private static let messageWidth = 136

  /// The distance that a message moves.
  private var travel: Int { Self.secondary.x - gridRight - 2 * Self.margin - Self.messageWidth }

  /// A message: an arrow with text. Without animations it stands in the middle of its way.
  private func message(_ event: Round.Event, id: String, y: Int) -> String {
    let (x, width) = (gridRight + Self.margin, Self.messageWidth)
    let shape =
      event.isAnswer
      ? "M\(x + 13) \(y)h\(width - 13)v26h\(13 - width)l-13 -13z"
      : "M\(x) \(y)h\(width - 13)l13 13l-13 13h\(13 - width)z"
    return """
      <g id="\(id)" class="message" transform="translate(\(travel / 2))"><path d="\(shape)"/>\
      \(line(event.text, x: x + (event.isAnswer ? 14 : 4), y: y + 17, style: ""))</g>
      """
  }

  // MARK: Shapes

  private func line(_ text: String, x: Int, y: Int, style: String) -> String {
    guard !text.isEmpty else { return "" }
    let style = style.isEmpty ? "" : " class=\"\(style)\""
    let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    return "<text x=\"\(x)\" y=\"\(y)\"\(style)>\(escaped)</text>"
  }
}

/// Records rounds of the exchange as they happen and writes them as an animated picture.
@MainActor
enum Recorder {
  static func run(path: String, rounds: Int) -> Never {
    // An unwritable file ends the program before the recording, not after it.
    guard let probe = fopen(path, "a") else { fail(path) }
    fclose(probe)
    var frames: [Recording.Frame] = []
    let exchange = Exchange(interval: 0.1) { exchange in
      let passes = exchange.timeline.passes
      frames.append(Recording.Frame(round: exchange.round, alphas: exchange.view.alphas, passes: passes))
      exchange.timeline.removeAll()
      guard exchange.round.number == rounds else { return }
      let picture = Recording(frames: frames, view: exchange.view).svg
      guard let file = fopen(path, "w"), fputs(picture, file) >= 0, fclose(file) == 0 else { fail(path) }
      print("\(counted(rounds, "round")) in \(path), \(picture.utf8.count) bytes")
      exit(0)
    }
    exchange.start()
    runForEver()
  }

  private static func fail(_ path: String) -> Never {
    let reason = String(cString: strerror(errno))
    printError("cannot write \(path): \(reason); name another file")
    exit(73)  // EX_CANTCREAT
  }
}
