import Foundation

/// An animated SVG: parts that are there from one moment to another. A page without animations shows one moment.
struct Recording {
  /// The colors of a page.
  struct Theme {
    let page, band, text, title, task, stale: String

    static let light = Theme(
      page: "#ffffff", band: "#f6f8fa", text: "#57606a", title: "#1f2328", task: "#1a7f37", stale: "#c4320a")
    static let dark = Theme(
      page: "#0d1117", band: "#161b22", text: "#9198a1", title: "#f0f6fc", task: "#3fb950", stale: "#ff8a66")
  }

  static let duration = 10.0
  // Wide enough for the code. On a small phone, which shows 358 of 480 columns, the text has 11 pixels.
  private static let (width, height, side, step) = (480, 538, 23, 26)

  /// The moment at which the animation begins, and the only one without it.
  var still = 0.0
  private var parts: [(drawing: String, start: Double, end: Double)] = []
  private var pictures: [[Double]] = []

  mutating func show(_ drawing: String, from start: Double, to end: Double) { parts.append((drawing, start, end)) }

  /// Lines of text, one below the other.
  static func lines(_ text: String, x: Int = 16, y: Int, _ style: Style = .plain) -> String {
    let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    return escaped.components(separatedBy: "\n").enumerated().map { index, line in
      line.isEmpty ? "" : "<text x=\"\(x)\" y=\"\(y + 20 * index)\" class=\"\(style)\">\(line)</text>"
    }.joined()
  }

  /// A grid in its frame, with words below.
  mutating func panel(_ panel: Panel, x: Int, y: Int, scale: Double) -> String {
    let number = pictures.firstIndex(of: panel.alphas) ?? pictures.count
    if number == pictures.count { pictures.append(panel.alphas) }
    let bottom = y + Int(134 * scale) + 20
    return """
      <g transform="translate(\(x) \(y)) scale(\(scale))">\
      <rect class="frame\(panel.isLate ? " late" : "")" x="-6" y="-6" width="217" height="139" rx="6"/>\
      <use href="#cells"/><use href="#g\(number)"/></g>
      """ + panel.words.enumerated().map { Self.lines($1.0, x: x - 6, y: bottom + 20 * $0, $1.1) }.joined()
  }

  /// The cells whose alphas are above this one. Those of a picture lie on cells that are nearly dark.
  private func cells(_ id: String, _ alphas: [Double], from least: Double = 0.1) -> String {
    let cells = (0..<Cells.count).filter { alphas[$0] > least }.map { cell in
      let color = Cells.color(alpha: alphas[cell]).map { String(format: "%02x", $0) }.joined()
      let (row, column) = cell.quotientAndRemainder(dividingBy: Cells.columns)
      return """
        <rect x="\(column * Self.step)" y="\(row * Self.step)" width="\(Self.side)" height="\(Self.side)" rx="4" fill="#\(color)"/>
        """
    }
    return "<g id=\"\(id)\">\(cells.joined())</g>"
  }

  func svg(_ theme: Theme, label: String) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.width)" height="\(Self.height)" \
    viewBox="0 0 \(Self.width) \(Self.height)" role="img" aria-label="\(label)">
    <style>
    text { font: 15px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: \(theme.text); white-space: pre }
    .title, .task, .stale { font-weight: bold; fill: \(theme.title) } .task { fill: \(theme.task) } .stale { fill: \(theme.stale) }
    .bar { fill: \(theme.band) }
    .frame { fill: #0d1117; stroke: \(theme.task); stroke-width: 2 }
    .frame.late { stroke: \(theme.stale); stroke-width: 4 }
    circle { fill: \(theme.text) }
    .later { visibility: hidden }
    .part { animation: \(String(format: "%.2fs infinite step-end -%.2fs", Self.duration, still)) }
    @media (prefers-reduced-motion: reduce) { .part { animation: none !important } }
    \(parts.indices.map(animation(of:)).joined(separator: "\n"))
    </style>
    <defs>
    \(([cells("cells", Array(repeating: 0.06, count: Cells.count), from: 0)] + pictures.enumerated().map { cells("g\($0)", $1) }).joined(separator: "\n"))
    </defs>
    <rect width="\(Self.width)" height="\(Self.height)" rx="10" fill="\(theme.page)"/>
    <rect class="bar" width="\(Self.width)" height="36" rx="10"/>
    \([20, 38, 56].map { "<circle cx=\"\($0)\" cy=\"18\" r=\"5\"/>" }.joined())
    \(parts.enumerated().map { index, part in
      let isShown = part.start <= still && still < part.end
      return "<g id=\"p\(index)\" class=\"part\(isShown ? "" : " later")\">\(part.drawing)</g>"
    }.joined(separator: "\n"))
    </svg>

    """
  }

  private func animation(of index: Int) -> String {
    let changes = [(0, parts[index].start == 0), (parts[index].start, true), (parts[index].end, false)]
    let frames = changes.map { time, isVisible in
      String(format: "%.2f%% { ", time / Self.duration * 100) + "visibility: \(isVisible ? "visible" : "hidden") }"
    }
    return "#p\(index) { animation-name: p\(index) } @keyframes p\(index) { \(frames.joined(separator: " ")) }"
  }
}
