import Foundation

/// Rounds of the exchange as an animated SVG. The messages move between the threads, the views change at each frame,
/// and the passes of the main loop are below.
struct Recording {
  /// A round, with the views at each of its frames.
  struct Round {
    let passes: PassList
    let frames: [[CollectionView]]

    /// The events in their order.
    var notes: [Timeline.Note] { passes.rows.flatMap(\.notes) }
  }

  /// The colors of a page.
  struct Theme {
    let page, band, text, title, task, stale, message: String

    static let light = Theme(
      page: "#ffffff", band: "#f6f8fa", text: "#57606a", title: "#1f2328", task: "#1a7f37", stale: "#c4320a",
      message: "#0969da")
    static let dark = Theme(
      page: "#0d1117", band: "#161b22", text: "#9198a1", title: "#f0f6fc", task: "#3fb950", stale: "#ff8a66",
      message: "#1f6feb")
  }

  // Wide enough for the code. On a small phone, which shows 358 of 480 columns, the text has 11 pixels.
  private static let width = 480
  private static let fontSize = 15
  private static let margin = 20
  private static let side = 23
  private static let gap = 3
  private static let columnWidth = 228
  private static let lineHeight = 21
  private static let mainTop = 108
  private static let gridTop = 196
  private static let passesTop = 406
  private static let travel = 40

  let rounds: [Round]
  /// The views before the first round.
  let start: [CollectionView]

  private var script: RecordingScript { RecordingScript(rounds: rounds) }
  private var rowCount: Int { rounds.map(\.notes.count).max() ?? 0 }
  private var height: Int { Self.passesTop + rowCount * Self.lineHeight + 4 }

  func svg(_ theme: Theme) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.width)" height="\(height)" \
    viewBox="0 0 \(Self.width) \(height)" role="img" aria-label="\(counted(rounds.count, "round")) of the demo: \
    each brings a new number to two grids. In the first frame the grid that reloads by DispatchQueue.main.async still \
    shows the old number, and the one that reloads at the end of the pass shows the new one">
    <style>
    text { font: \(Self.fontSize)px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: \(theme.text); white-space: pre }
    .title { fill: \(theme.title); font-weight: bold }
    .task { fill: \(theme.task); font-weight: bold }
    .stale { fill: \(theme.stale); font-weight: bold }
    .band { fill: \(theme.band) }
    .frame { fill: none; stroke: \(theme.task); stroke-width: 2 }
    .frame.old { stroke: \(theme.stale); stroke-width: 4 }
    .message text { fill: #ffffff }
    .message path { fill: \(theme.message) }
    .later { visibility: hidden }
    \(script.styles(travel: Self.travel))
    </style>
    <defs>
    \(grids.joined(separator: "\n"))
    </defs>
    <rect width="\(Self.width)" height="\(height)" rx="10" fill="\(theme.page)"/>
    <rect class="band" x="8" y="8" width="464" height="36" rx="8"/>
    <rect class="band" x="8" y="\(Self.mainTop)" width="464" height="\(height - Self.mainTop - 8)" rx="8"/>
    \(line("secondary thread", x: Self.margin, y: 31, .title))
    \(line("main thread", x: Self.margin, y: Self.mainTop + 24, .title))
    \(line("simulated frames, slowed down", x: Self.margin + 180, y: Self.mainTop + 24))
    \(start.indices.map(code(ofView:)).joined())
    <g id="start" class="later">\(frame(start, isShown: false))</g>
    \(rounds.indices.map(group).joined(separator: "\n"))
    </svg>

    """
  }

  // MARK: Views

  private func x(ofView index: Int) -> Int { Self.margin + index * Self.columnWidth }

  private func code(ofView index: Int) -> String {
    let code =
      start[index].way == .mainQueue
      ? ["DispatchQueue.main.async", "{ reload() }"] : [".when(.currentLoopEnded)", ".coalesced(by: view)"]
    return code.enumerated().map { line($1, x: x(ofView: index), y: Self.mainTop + 50 + $0 * Self.lineHeight) }.joined()
  }

  /// The cells of each round. Each frame uses those that its views show.
  private var grids: [String] {
    let views = [start[0]] + rounds.compactMap { $0.frames.last?.first }
    return views.map { view in
      let cells = view.alphas.enumerated().map { cell, alpha in
        let (column, row) = (cell % CollectionView.columns, cell / CollectionView.columns)
        return """
          <rect x="\(column * (Self.side + Self.gap))" y="\(row * (Self.side + Self.gap))" width="\(Self.side)" \
          height="\(Self.side)" rx="4" fill="\(CollectionView.color(of: cell).hexadecimal)" \
          opacity="\(String(format: "%.2f", alpha))"/>
          """
      }
      return "<g id=\"round\(view.round)\">\(cells.joined(separator: "\n"))</g>"
    }
  }

  /// What a frame shows: the cells, a border around them, and words below.
  private func frame(_ views: [CollectionView], isShown: Bool = true) -> String {
    views.enumerated().map { index, view in
      let x = x(ofView: index)
      let grid = "<use href=\"#round\(view.round)\" x=\"\(x)\" y=\"\(Self.gridTop)\"/>"
      guard isShown else { return grid }
      let stale = counted(view.total.staleFrames, "stale frame")
      let words: [(String, Style)] = [
        (
          view.isStale ? "STALE FRAME: round \(view.round)" : "frame: round \(view.round)",
          view.isStale ? .stale : .plain
        ),
        (view.latest.summary, .title), ("in all: \(stale)", view.total.staleFrames > 0 ? .stale : .task),
      ]
      return """
        \(grid)<rect class="frame\(view.isStale ? " old" : "")" x="\(x - 6)" y="\(Self.gridTop - 6)" \
        width="217" height="113" rx="6"/>
        """
          + words.enumerated().map { line($1.0, x: x, y: Self.gridTop + 131 + $0 * Self.lineHeight, $1.1) }.joined()
    }.joined()
  }

  // MARK: Rounds

  private func group(_ index: Int) -> String {
    let round = rounds[index]
    var parts: [String] = []
    var (row, frame) = (0, 0)
    for (head, step) in zip(round.passes.heads(), round.passes.rows) {
      for (number, note) in step.notes.enumerated() {
        // Without animations the picture shows the first frame, and the events up to it.
        let later = index > 0 || row > script.firstFrame ? " class=\"later\"" : ""
        let text = (number == 0 ? head : "▸ ".leftPadded(to: head.count)) + note.text
        let words = line(text, x: Self.margin, y: Self.passesTop + row * Self.lineHeight, note.style)
        parts.append("<g id=\"n\(index)-\(row)\"\(later)>\(words)</g>")
        switch note.kind {
        case .question, .answer:
          parts.append(message(note.kind == .answer, id: "m\(index)-\(row)", isShown: index == 0))
        case .frame:
          parts.append("<g id=\"f\(index)-\(row)\"\(later)>\(self.frame(round.frames[frame]))</g>")
          frame += 1
        default: break
        }
        row += 1
      }
    }
    return parts.joined(separator: "\n")
  }

  // MARK: Text

  /// A message: an arrow with text. Without animations it stands in the middle of its way.
  private func message(_ isAnswer: Bool, id: String, isShown: Bool) -> String {
    let (x, y) = (isAnswer ? Self.margin + Self.columnWidth : Self.margin, 44)
    let (text, shape) =
      isAnswer
      ? ("\(CollectionView.count) new alphas", "M\(x) \(y)h205v16l-102 8l-103 -8z")
      : ("\(CollectionView.count) alphas, please", "M\(x) \(y + 24)h205v-16l-102 -8l-103 8z")
    return """
      <g id="\(id)" class="message\(isShown ? "" : " later")" transform="translate(0 \(Self.travel / 2))"><path d="\(shape)"/>\
      \(line(text, x: x + 16, y: y + (isAnswer ? 15 : 20)))</g>
      """
  }

  private func line(_ text: String, x: Int, y: Int, _ style: Style = .plain) -> String {
    let style = style == .plain ? "" : " class=\"\(style)\""
    let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    return "<text x=\"\(x)\" y=\"\(y)\"\(style)>\(escaped)</text>"
  }
}
