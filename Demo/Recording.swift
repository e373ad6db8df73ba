import Foundation
import RunLoopTasks

/// Rounds of the exchange as an animated SVG: the cells change when they did, and beside them stands what the main loop did.
struct Recording {
  /// The grid after a reload.
  struct Frame {
    /// Seconds since the beginning.
    let time: TimeInterval
    let round: Round
    let alphas: [Double]
    /// What the main loop did since the frame before.
    let passes: [Timeline.Pass]
  }

  private static let side = 40
  private static let gap = 6
  private static let lineHeight = 18
  private static let margin = 10
  private static let tableColumns = 92
  private static let width = 860
  /// How long the last frame stays before all begins again, in seconds.
  private static let rest = 1.0

  let frames: [Frame]
  let view: CollectionView

  private var duration: TimeInterval { time(of: frames.count - 1) + Self.rest }

  /// Seconds since the first frame.
  private func time(of index: Int) -> TimeInterval { frames[index].time - frames[0].time }

  var svg: String {
    let tables = frames.map { TimelineTable($0.passes, palette: .none) }
    let height = gridBottom + ((tables.map(\.count).max() ?? 0) + 2) * Self.lineHeight
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(height)" role="img" \
      aria-label="\(frames.count) rounds of the demo: a grid of cells, and what the main run loop did">
      <style>
      text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #57606a; white-space: pre }
      .title { fill: #1f2328; font-weight: bold }
      .task { fill: #1a7f37; font-weight: bold }
      @media (prefers-color-scheme: dark) {
        text { fill: #9198a1 }
        .title { fill: #f0f6fc }
        .task { fill: #3fb950 }
      }
      rect, g { animation: \(String(format: "%.2f", duration))s infinite step-end }
      @media (prefers-reduced-motion: reduce) { rect, g { animation: none } g ~ g { visibility: hidden } }
      \(cellStyles)
      \(frameStyles)
      </style>
      \(cells)
      \(zip(frames, tables).enumerated().map { group($0, $1.0, $1.1) }.joined(separator: "\n"))
      </svg>

      """
  }

  // MARK: Cells

  private var cells: String {
    (0..<view.count).map { cell in
      let (x, y) = (cell % view.columns, cell / view.columns)
      let step = Self.side + Self.gap
      let colour = Colour(cell: cell, of: view.count).hexadecimal
      let alpha = String(format: "%.2f", frames.first?.alphas[cell] ?? 0)
      return """
        <rect id="c\(cell)" x="\(x * step + Self.margin)" y="\(y * step + Self.margin)" width="\(Self.side)" height="\(Self.side)" rx="6" \
        fill="\(colour)" opacity="\(alpha)"/>
        """
    }.joined(separator: "\n")
  }

  private var cellStyles: String {
    (0..<view.count).map { cell in
      let steps = frames.indices.map { index in
        "\(percentage(of: index)) { opacity: \(String(format: "%.2f", frames[index].alphas[cell])) }"
      }
      return
        "#c\(cell) { animation-name: a\(cell) } @keyframes a\(cell) { \(steps.joined(separator: " ")) }"
    }.joined(separator: "\n")
  }

  // MARK: Text

  /// Each frame's text is visible from its time to the next frame's.
  private var frameStyles: String {
    frames.indices.map { index in
      let before = index > 0 ? "0% { visibility: hidden } " : ""
      let after = index + 1 < frames.count ? " \(percentage(of: index + 1)) { visibility: hidden }" : ""
      return """
        #f\(index) { animation-name: v\(index) } \
        @keyframes v\(index) { \(before)\(percentage(of: index)) { visibility: visible }\(after) }
        """
    }.joined(separator: "\n")
  }

  private func percentage(of index: Int) -> String { String(format: "%.2f%%", time(of: index) / duration * 100) }

  private func group(_ index: Int, _ frame: Frame, _ table: TimelineTable) -> String {
    let beside = view.columns * (Self.side + Self.gap) + 2 * Self.margin
    let words = ["round \(frame.round.number)", ""] + frame.round.events + ["", frame.round.summary]
    let texts = words.enumerated().map { number, text in
      line(text, x: beside, y: 24 + number * Self.lineHeight, style: number == 0 ? "title" : "")
    }
    let rows = table.rows(width: Self.tableColumns).enumerated().map { number, row in
      let y = gridBottom + (number + 1) * Self.lineHeight
      // What is beside a task's name is not a task.
      return row.reduce("") { text, cell in
        text
          + line(
            cell.text, x: Self.margin + cell.column * 8, y: y, style: number == 0 ? "title" : cell.isTask ? "task" : "")
      }
    }
    return "<g id=\"f\(index)\">\((texts + rows).joined())</g>"
  }

  private var gridBottom: Int { view.rows * (Self.side + Self.gap) + 2 * Self.margin }

  private func line(_ text: String, x: Int, y: Int, style: String) -> String {
    guard !text.isEmpty else { return "" }
    let style = style.isEmpty ? "" : " class=\"\(style)\""
    return "<text x=\"\(x)\" y=\"\(y)\"\(style)>\(escaped(text))</text>"
  }

  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
