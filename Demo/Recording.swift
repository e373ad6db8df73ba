import Foundation

/// Rounds of the exchange as an animated SVG. The messages move between the threads, the views change at each frame,
/// and the passes of the main loop are below.
struct Recording {
  /// A round, with the views at each of its frames.
  struct Round {
    let number: Int
    let timeline: RoundTimeline
    let frames: [[CollectionView]]

    /// The events in their order.
    var notes: [Timeline.Note] { timeline.rows.flatMap(\.notes) }

    /// The time from the question to the last frame.
    var milliseconds: Double {
      guard let first = notes.first, let last = notes.last else { return 0 }
      return (last.time - first.time) / .milliseconds(1)
    }
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

  // The picture is as wide as a small phone is, in which its text has its own size.
  private static let width = 480
  private static let margin = 26
  private static let side = 22
  private static let gap = 4
  private static let columnWidth = 226
  private static let lineHeight = 20
  private static let mainTop = 114
  private static let gridTop = 202
  private static let passesTop = 402

  let rounds: [Round]
  /// The views before the first round.
  let start: [CollectionView]

  private var rowCount: Int { rounds.map(\.notes.count).max() ?? 0 }
  private var height: Int { Self.passesTop + rowCount * Self.lineHeight + 8 }

  func svg(_ theme: Theme) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="600" height="\(height * 600 / Self.width)" \
    viewBox="0 0 \(Self.width) \(height)" role="img" aria-label="\(counted(rounds.count, "round")) of the demo: \
    a view that reloads by DispatchQueue.main.async shows a stale frame in each round, and a view that reloads at the \
    end of the pass shows none">
    <style>
    text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: \(theme.text); white-space: pre }
    .title { fill: \(theme.title); font-weight: bold }
    .task { fill: \(theme.task); font-weight: bold }
    .stale { fill: \(theme.stale); font-weight: bold }
    .band { fill: \(theme.band) }
    .frame { fill: none; stroke: \(theme.task); stroke-width: 2 }
    .frame.old { stroke: \(theme.stale); stroke-width: 4 }
    .message text { fill: #ffffff }
    .message path { fill: \(theme.message) }
    .later { visibility: hidden }
    \(RecordingScript(rounds: rounds, start: start).styles(travel: Self.travel))
    </style>
    <rect width="\(Self.width)" height="\(height)" rx="10" fill="\(theme.page)"/>
    <rect class="band" x="14" y="12" width="452" height="36" rx="8"/>
    <rect class="band" x="14" y="\(Self.mainTop)" width="452" height="\(height - Self.mainTop - 12)" rx="8"/>
    \(line("secondary thread", x: Self.margin, y: 35, "title"))
    \(line("computes alphas when asked", x: Self.margin + 160, y: 35, ""))
    \(line("main thread", x: Self.margin, y: Self.mainTop + 24, "title"))
    \(start.indices.map(view).joined(separator: "\n"))
    \(rounds.indices.map(group).joined(separator: "\n"))
    </svg>

    """
  }

  // MARK: Views

  private func x(ofView index: Int) -> Int { Self.margin + index * Self.columnWidth }

  /// The code and the cells of a view. Without animations the cells are as in the first frame.
  private func view(_ index: Int) -> String {
    let code =
      start[index].way == .mainQueue
      ? ["DispatchQueue.main.async", "{ reload() }"] : [".when(.currentLoopEnded)", ".coalesced(by: view)"]
    let shown = rounds.first?.frames.first?[index] ?? start[index]
    let cells = (0..<CollectionView.count).map { cell in
      let (column, row) = (cell % CollectionView.columns, cell / CollectionView.columns)
      return """
        <rect id="\(RecordingScript.id(ofCell: cell, view: index))" x="\(x(ofView: index) + column * (Self.side + Self.gap))" \
        y="\(Self.gridTop + row * (Self.side + Self.gap))" width="\(Self.side)" height="\(Self.side)" rx="4" \
        fill="\(CollectionView.color(of: cell).hexadecimal)" opacity="\(String(format: "%.2f", shown.alphas[cell]))"/>
        """
    }
    let lines = code.enumerated().map { line($1, x: x(ofView: index), y: Self.mainTop + 50 + $0 * Self.lineHeight, "") }
    return (lines + cells).joined(separator: "\n")
  }

  /// What a frame shows: a border around each view, and words below it.
  private func frame(_ views: [CollectionView]) -> String {
    views.enumerated().map { index, view in
      let (x, stale) = (x(ofView: index), counted(view.total.staleFrames, "stale frame"))
      let words = [
        (view.isStale ? "STALE FRAME: round \(view.round)" : "frame: round \(view.round)", view.isStale ? "stale" : ""),
        (view.latest.summary, "title"), ("in all: \(stale)", view.total.staleFrames > 0 ? "stale" : "task"),
      ]
      return """
        <rect class="frame\(view.isStale ? " old" : "")" x="\(x - 6)" y="\(Self.gridTop - 6)" width="216" height="112" rx="6"/>
        """
          + words.enumerated().map { line($1.0, x: x, y: Self.gridTop + 130 + $0 * Self.lineHeight, $1.1) }.joined()
    }.joined()
  }

  // MARK: Rounds

  private func group(_ index: Int) -> String {
    let (round, script) = (rounds[index], RecordingScript(rounds: rounds, start: start))
    let title = "round \(round.number): \(String(format: "%.2f", round.milliseconds)) ms in slow motion"
    let y = Self.mainTop + 24
    var parts = [
      "<g id=\"q\(index)\"\(index > 0 ? " class=\"later\"" : "")>\(line(title, x: Self.margin + 160, y: y, ""))</g>"
    ]
    var (row, frame) = (0, 0)
    for (head, step) in zip(round.timeline.heads(""), round.timeline.rows) {
      for (number, note) in step.notes.enumerated() {
        // Without animations the picture shows the first frame, and the events up to it.
        let later = index > 0 || row > script.firstFrame ? " class=\"later\"" : ""
        let text = (number == 0 ? head : "▸ ".leftPadded(to: head.count)) + note.text
        let style = note.kind == .frame(isStale: true) ? "stale" : note.isTask ? "task" : ""
        parts.append(
          "<g id=\"n\(index)-\(row)\"\(later)>\(line(text, x: Self.margin, y: Self.passesTop + row * Self.lineHeight, style))</g>"
        )
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

  // MARK: Messages

  private static let travel = 40

  /// A message: an arrow with text. Without animations it stands in the middle of its way.
  private func message(_ isAnswer: Bool, id: String, isShown: Bool) -> String {
    let (x, y) = (isAnswer ? Self.margin + Self.columnWidth : Self.margin, 49)
    let (text, shape) =
      isAnswer
      ? ("\(CollectionView.count) new alphas", "M\(x) \(y)h204v16l-102 8l-102 -8z")
      : ("\(CollectionView.count) alphas, please", "M\(x) \(y + 24)h204v-16l-102 -8l-102 8z")
    return """
      <g id="\(id)" class="message\(isShown ? "" : " later")" transform="translate(0 \(Self.travel / 2))"><path d="\(shape)"/>\
      \(line(text, x: x + 16, y: y + (isAnswer ? 15 : 19), ""))</g>
      """
  }

  private func line(_ text: String, x: Int, y: Int, _ style: String) -> String {
    let style = style.isEmpty ? "" : " class=\"\(style)\""
    let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    return "<text x=\"\(x)\" y=\"\(y)\"\(style)>\(escaped)</text>"
  }
}
