/// The views side by side, each between the code that reloads it and what the latest frame showed of it. The passes of
/// the round are below.
@MainActor
struct Grid {
  /// The rows of the passes, for which there is always room in 24 rows: the alphas arrive, and two frames follow.
  private static let passRows = 4
  /// The columns of the longest line of code.
  private static let codeWidth = 37

  private let exchange: Exchange
  private let palette: Palette

  init(_ exchange: Exchange, _ palette: Palette) {
    (self.exchange, self.palette) = (exchange, palette)
  }

  /// The lines for a window with this many rows and columns: as much as fits, in cells as high as possible.
  func lines(rows: Int, columns: Int) -> [String] {
    let width = (columns - 1) / exchange.views.count - 1
    guard width > 0 else { return [] }
    let cellWidth = min(max((width + 1) / CollectionView.columns - 1, 1), 10)
    let forms = width >= Self.codeWidth ? [true, false] : [false]
    let layouts = forms.flatMap { isFull in
      stride(from: max(cellWidth / 2, 1), through: 1, by: -1).map {
        body(columns, width, cellWidth, cellHeight: $0, isFull: isFull)
      }
    }
    return Array((layouts.first { $0.count <= rows } ?? layouts[layouts.count - 1]).prefix(rows))
  }

  private func body(_ columns: Int, _ width: Int, _ cellWidth: Int, cellHeight: Int, isFull: Bool) -> [String] {
    let views = exchange.views
    let intro = "A block of the main queue brings \(CollectionView.count) new alphas. Each requests a reload:"
    let codes = views.map { isFull ? $0.way.code(coalesces: exchange.coalesces) : [$0.way.title] }
    let heads = codes.map { code in
      (0..<(codes.map(\.count).max() ?? 0)).map { text($0 < code.count ? code[$0] : "", width) }
    }
    let words = RoundTimeline(exchange.timeline.passesOfRound, from: .answer)
      .lines(width: columns - 1, palette: palette).prefix(Self.passRows)
    return (isFull ? [" " + intro.cut(to: columns - 1), ""] : []) + beside(heads) + [""]
      + beside(views.map { cells($0, width, cellWidth, cellHeight) }) + [""]
      + beside(views.map { result($0, width) }) + [""]
      + words.map { " \($0)" } + Array(repeating: "", count: Self.passRows - words.count)
  }

  /// Columns of lines that are equally wide and high.
  private func beside(_ columns: [[String]]) -> [String] {
    (columns.first ?? []).indices.map { row in columns.map { " " + $0[row] }.joined() }
  }

  /// The text in a column of this width.
  private func text(_ text: String, _ width: Int, _ style: (String) -> String = { $0 }) -> String {
    style(text.cut(to: width)) + String(repeating: " ", count: max(width - text.count, 0))
  }

  private func cells(_ view: CollectionView, _ width: Int, _ cellWidth: Int, _ cellHeight: Int) -> [String] {
    let shown = min(CollectionView.columns, (width + 1) / (cellWidth + 1))
    let used = shown * (cellWidth + 1) - 1
    return (0..<CollectionView.rows).flatMap { row in
      let line = (0..<shown).map { column in
        let cell = row * CollectionView.columns + column
        return palette.cell(CollectionView.color(of: cell), alpha: view.alphas[cell], width: cellWidth)
      }.joined(separator: " ")
      let full = line + String(repeating: " ", count: max(width - used, 0))
      let gap = cellHeight > 1 && row < CollectionView.rows - 1 ? [String(repeating: " ", count: max(width, 0))] : []
      return Array(repeating: full, count: cellHeight) + gap
    }
  }

  /// What the latest frame showed of a view, and how often a frame was stale.
  private func result(_ view: CollectionView, _ width: Int) -> [String] {
    let stale = counted(view.total.staleFrames, "stale frame")
    return [
      text(view.isStale ? "STALE FRAME: round \(view.round)" : "frame: round \(view.round)", width) {
        view.isStale ? palette.stale($0) : $0
      },
      text(view.latest.summary, width, palette.bold),
      text("in all: \(stale)", width) { view.total.staleFrames > 0 ? palette.stale($0) : palette.task($0) },
    ]
  }
}
