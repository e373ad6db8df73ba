import Foundation

/// An animated SVG: parts that are there from one moment to another. A page without animations shows one moment.
struct Recording {
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

  private struct Part {
    let start, end: Double
    /// The distance that the part moves.
    let travel: Int
    let drawing: String
  }

  static let duration = 10.0
  // Wide enough for the code. On a small phone, which shows 358 of 480 columns, the text has 11 pixels.
  private static let (width, height, fontSize, side, gap) = (480, 606, 15, 23, 3)

  /// The moment at which the animation begins, and the only one without it.
  var still = 0.0
  private var parts: [Part] = []
  private var pictures: [[Double]] = []

  /// Adds a part, which moves by `travel` while it is there.
  mutating func show(_ drawing: String, from start: Double, to end: Double, travel: Int = 0) {
    parts.append(Part(start: start, end: end, travel: travel, drawing: drawing))
  }

  // MARK: Drawing

  static func text(_ text: String, x: Int = 16, y: Int, _ style: Style = .plain) -> String {
    let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    return "<text x=\"\(x)\" y=\"\(y)\"\(style == .plain ? "" : " class=\"\(style)\"")>\(escaped)</text>"
  }

  /// Lines, one below the other.
  static func lines(_ lines: [(String, Style)], x: Int = 16, y: Int) -> String {
    lines.enumerated().map { text($1.0, x: x, y: y + 20 * $0, $1.1) }.joined()
  }

  static func band(y: Int, height: Int) -> String {
    "<rect class=\"band\" x=\"8\" y=\"\(y)\" width=\"464\" height=\"\(height)\" rx=\"8\"/>"
  }

  /// A grid in its frame, with words below.
  mutating func panel(_ panel: Panel, x: Int, y: Int) -> String {
    let number = pictures.firstIndex(of: panel.alphas) ?? pictures.count
    if number == pictures.count { pictures.append(panel.alphas) }
    return """
      <use href="#cells" x="\(x)" y="\(y)"/><use href="#g\(number)" x="\(x)" y="\(y)"/>\
      <rect class="frame\(panel.isLate ? " late" : "")" x="\(x - 6)" y="\(y - 6)" width="217" height="139" rx="6"/>
      """ + Self.lines(panel.words, x: x, y: y + 154)
  }

  /// The cells of a picture that are lit, or all cells, which are nearly dark.
  private func cells(_ alphas: [Double]?) -> String {
    (0..<Cells.count).map { cell in
      let step = Self.side + Self.gap
      let (x, y) = (cell % Cells.columns * step, cell / Cells.columns * step)
      let alpha = alphas?[cell] ?? 0.06
      guard alphas == nil || alpha > 0.1 else { return "" }
      let color = Cells.color.bytes(alpha: alpha).map { String(format: "%02x", $0) }.joined()
      return "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(Self.side)\" height=\"\(Self.side)\" rx=\"4\" fill=\"#\(color)\"/>"
    }.joined()
  }

  func svg(_ theme: Theme, label: String) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.width)" height="\(Self.height)" \
    viewBox="0 0 \(Self.width) \(Self.height)" role="img" aria-label="\(label)">
    <style>
    text { font: \(Self.fontSize)px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: \(theme.text); white-space: pre }
    .title { fill: \(theme.title); font-weight: bold }
    .task { fill: \(theme.task); font-weight: bold }
    .stale { fill: \(theme.stale); font-weight: bold }
    .band { fill: \(theme.band) }
    .frame { fill: none; stroke: \(theme.task); stroke-width: 2 }
    .frame.late { stroke: \(theme.stale); stroke-width: 4 }
    .message text { fill: #ffffff }
    .message path { fill: \(theme.message) }
    .later { visibility: hidden }
    .part { animation: \(String(format: "%.2fs infinite step-end -%.2fs", Self.duration, still)) }
    @media (prefers-reduced-motion: reduce) { .part { animation: none !important } }
    \(parts.indices.map(animation).joined(separator: "\n"))
    </style>
    <defs>
    <g id="cells">\(cells(nil))</g>
    \(pictures.enumerated().map { "<g id=\"g\($0)\">\(cells($1))</g>" }.joined(separator: "\n"))
    </defs>
    <rect width="\(Self.width)" height="\(Self.height)" rx="10" fill="\(theme.page)"/>
    \(Self.band(y: 6, height: 30))
    \(["stale", "plain", "task"].enumerated().map { "<circle class=\"\($1)\" cx=\"\(22 + 18 * $0)\" cy=\"21\" r=\"5\"/>" }.joined())
    \(parts.enumerated().map { index, part in
      let isShown = part.start <= still && still < part.end
      return "<g id=\"p\(index)\" class=\"part\(isShown ? "" : " later")\">\(part.drawing)</g>"
    }.joined(separator: "\n"))
    </svg>

    """
  }

  private func animation(_ index: Int) -> String {
    let part = parts[index]
    func at(_ time: Double, _ rules: String) -> String {
      String(format: "%.2f%% { ", time / Self.duration * 100) + rules + " }"
    }
    let hidden = "visibility: hidden"
    let moves = part.travel == 0 ? "" : "; transform: translateY(0); animation-timing-function: ease-in-out"
    let frames =
      (part.start > 0 ? [at(0, hidden)] : []) + [at(part.start, "visibility: visible" + moves)]
      + (part.end < Self.duration
        ? [at(part.end, hidden + (part.travel == 0 ? "" : "; transform: translateY(\(part.travel)px)"))] : [])
    return "#p\(index) { animation-name: p\(index) } @keyframes p\(index) { \(frames.joined(separator: " ")) }"
  }
}
