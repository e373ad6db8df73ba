/// The views side by side, each between the code that reloads it and what the latest frame showed of it. The passes of
/// the round are below.
@MainActor
struct Grid {
  /// The rows of the passes: the alphas arrive, and two frames follow.
  private static let passRows = 5
  /// The columns of the longest line of code.
  private static let codeWidth = 37

  private let views: [CollectionView]
  private let coalesces: Bool
  private let passes: [Timeline.Pass]
  private let palette: Palette
  /// The columns of the window, and those of each view in it.
  private let columns, width: Int

  init(_ exchange: Exchange, _ palette: Palette, columns: Int) {
    (views, coalesces, passes) = (exchange.views, exchange.coalesces, exchange.timeline.passesOfRound)
    (self.palette, self.columns) = (palette, columns)
    width = (columns - 1) / exchange.views.count - 1
  }

  /// The lines for a window with this many rows. Cells of two rows, which are about as high as wide, come before the
  /// code, and the code before higher ones. In a low window the passes come before the blank lines.
  func lines(rows: Int) -> [String] {
    guard width > 0 else { return [] }
    let heights = stride(from: (cellWidth + 1) / 2, through: 2, by: -1).map { $0 }
    let high = (width >= Self.codeWidth ? [true, false] : [false]).flatMap { code in heights.map { (code, $0, true) } }
    let bodies = (high + [(false, 1, true), (false, 1, false)]).lazy.map(body)
    let body = bodies.first { $0.count + Self.passRows <= rows } ?? body(code: false, cellHeight: 1, isSpaced: false)
    let words = PassList(passes, from: .answer).lines(width: columns - 1, palette: palette)
    return Array((body + words.map { " \($0)" }).prefix(rows))
  }

  private func body(code: Bool, cellHeight: Int, isSpaced: Bool) -> [String] {
    let intro = "A block of the main queue brings \(CollectionView.count) new alphas. Each requests a reload:"
    return (code ? [" " + intro, ""] : []) + pictures(code: code, cellHeight: cellHeight, isSpaced: isSpaced) + [""]
  }

  /// The views with their names and results.
  func pictures(code: Bool = false, cellHeight: Int = 1, isSpaced: Bool = true) -> [String] {
    let names = views.map { code ? $0.way.code(coalesces: coalesces) : [$0.way.title] }
    let blank = isSpaced ? [""] : []
    return beside(names.map { text($0.map { ($0, .plain) }) }) + blank
      + beside(views.map { cells($0, cellHeight) }) + blank + beside(views.map(result))
  }

  /// Columns of lines that are equally wide.
  private func beside(_ columns: [[String]]) -> [String] {
    (0..<(columns.map(\.count).max() ?? 0)).map { row in
      columns.map { " " + (row < $0.count ? $0[row] : "".padded(to: width)) }.joined()
    }
  }

  /// The lines of text in a column.
  private func text(_ lines: [(String, Style)]) -> [String] {
    lines.flatMap { line, style in
      line.wrapped(to: width).map { palette.styled($0, style) + "".padded(to: width - $0.count) }
    }
  }

  // Narrow cells have no gaps.
  private var gap: Int { width < 2 * CollectionView.columns - 1 ? 0 : 1 }
  private var cellWidth: Int { min(max((width + gap) / CollectionView.columns - gap, 1), 10) }

  private func cells(_ view: CollectionView, _ cellHeight: Int) -> [String] {
    let shown = min(CollectionView.columns, width)
    let used = shown * (cellWidth + gap) - gap
    return (0..<CollectionView.rows).flatMap { row in
      let line = (0..<shown).map { column in
        let cell = row * CollectionView.columns + column
        return palette.cell(CollectionView.color(of: cell), alpha: view.alphas[cell], width: cellWidth)
      }.joined(separator: "".padded(to: gap))
      let isSpaced = cellHeight > 2 && row < CollectionView.rows - 1
      return Array(repeating: line + "".padded(to: width - used), count: cellHeight)
        + (isSpaced ? ["".padded(to: width)] : [])
    }
  }

  /// What the latest frame showed of a view, and how often a frame was stale.
  private func result(_ view: CollectionView) -> [String] {
    let stale = counted(view.total.staleFrames, "stale frame")
    return text([
      ("\(view.isStale ? "STALE FRAME" : "frame"): round\u{A0}\(view.round)", view.isStale ? .stale : .plain),
      (view.latest.summary, .title), ("in all: \(stale)", view.total.staleFrames > 0 ? .stale : .task),
    ])
  }
}
