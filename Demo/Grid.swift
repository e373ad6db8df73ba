/// The cells, with words beside or below them, fitted to a window.
@MainActor
struct Grid {
  private let exchange: Exchange
  private let palette: Palette

  /// The columns of the widest line of words.
  private static let wordsWidth = 36

  init(_ exchange: Exchange, _ palette: Palette) {
    (self.exchange, self.palette) = (exchange, palette)
  }

  /// The lines for a window with this many rows and columns.
  func lines(rows: Int, columns: Int) -> [String] {
    let width = cellWidth(in: columns - Self.wordsWidth - 2)
    guard width > 0 else { return narrow(rows, columns) }
    let height = min(max(width / 2, 1), max((rows + 1) / exchange.view.rows - 1, 1))
    let cells = cells(width: width, height: height, columns: columns)
    let words = words(width: Self.wordsWidth)
    let blank = String(repeating: " ", count: (width + 1) * exchange.view.columns)
    let both = (0..<max(cells.count, words.count)).map { row in
      (row < cells.count && !cells[row].isEmpty ? cells[row] : blank) + (row < words.count ? "   \(words[row])" : "")
    }
    let intro = introduction(width: min(columns, 112))
    let free = rows - intro.count - both.count
    return Array((free < 0 ? both : intro + (free > 0 ? [""] : []) + both).prefix(rows))
  }

  /// The lines for a window without room for words beside the cells: the summary, the cells and as many words as fit.
  private func narrow(_ rows: Int, _ columns: Int) -> [String] {
    let width = max(cellWidth(in: columns), 1)
    let height = min(max(width / 2, 1), max((rows - 1) / exchange.view.rows - 1, 1))
    let words = words(width: columns - 1).map { " \($0)" }
    return Array(
      (words.prefix(1) + cells(width: width, height: height, columns: columns) + words.dropFirst(2)).prefix(rows))
  }

  // MARK: Cells

  /// The width of cells that fill this many columns, with a blank before each cell; 0 if they do not fit.
  private func cellWidth(in columns: Int) -> Int { min(max(columns / exchange.view.columns - 1, 0), 12) }

  private func cells(width: Int, height: Int, columns: Int) -> [String] {
    let view = exchange.view
    let shown = min(view.columns, columns / (width + 1))
    return (0..<view.rows).flatMap { row -> [String] in
      let line = (0..<shown).map { column in
        let cell = row * view.columns + column
        return " " + palette.cell(view.color(of: cell), alpha: view[cell], width: width)
      }.joined()
      return Array(repeating: line, count: height) + [""]
    }
  }

  // MARK: Words

  private func introduction(width: Int) -> [String] {
    let count = exchange.view.count
    let text =
      exchange.round.isCoalesced
      ? "RunLoopTasks runs one reload at the end of the main loop's pass."
      : "Coalescing is off: the view reloads \(count) times at the end of the pass."
    return "Each of the \(count) new alphas requests a reload. \(text)".wrapped(to: width - 2).map { " \($0)" }
  }

  /// The words. The first line is the most important one.
  private func words(width: Int) -> [String] {
    let (round, totals) = (exchange.round, exchange.totals)
    let code = [
      "RunLoop.current.perform { reload() }", "  .when(.currentLoopEnded)",
      round.isCoalesced ? "  .coalesced(by: view)" : "  // .coalesced(by: view)",
    ]
    let sums = "in all: \(counted(totals.requests, "request")), \(counted(totals.reloads, "reload"))"
    let lines = [""] + code + [""] + round.events.map(\.line) + ["", sums]
    return [palette.bold(round.summary.cut(to: width))] + lines.map { $0.cut(to: width) }
  }
}
