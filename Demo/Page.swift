/// A grid, with the code that it is about and what happened to it.
struct Panel: Sendable {
  let title: String
  /// The title as code, for windows with room.
  let code: [String]
  let alphas: [Double]
  /// Whether the grid is behind, which its frame shows in red.
  let isLate: Bool
  let words: [(String, Style)]
}

/// What a window shows: a status, an explanation, the panels side by side, the passes of a loop, and the keys.
struct Page {
  /// The status, from long to short. The first that fits is shown.
  let status: [String]
  let explanation: String
  /// What the reader must know of the picture in any window, from long to short.
  let note: [String]
  let panels: [Panel]
  var passes: [Timeline.Row] = []
  let keys: [String]

  /// The lines for a window of this size. What stands in a low one stands in this order: the panels, the passes, the
  /// explanation, cells of two rows, which are about as high as wide, the code, blank lines, higher cells.
  func lines(rows: Int, columns: Int, palette: Palette, hasKeys: Bool) -> [String] {
    let block = PanelBlock(panels: panels, width: (columns - 1) / panels.count - 1, palette: palette)
    func fitting(_ texts: [String]) -> String? { texts.first { $0.count < columns } ?? texts.last }
    let first = palette.styled(" \(fitting(status) ?? "")".cut(to: columns), .title)
    let keys = hasKeys ? keys : ["Ctrl-C quits", "(no keys, because standard input is not a terminal)"]
    let footer = keys.map { $0.replacing(" ", with: "\u{A0}") }.joined(separator: "  ").wrapped(to: columns - 1)
    let last = footer.map { palette.styled(" \($0)", .faint) }
    guard rows >= 6, block.width >= Cells.columns + 2 else { return fill([first], last, rows) }
    let note = fitting(note)?.wrapped(to: columns - 1) ?? []
    let words = explanation.wrapped(to: min(columns - 2, 98))
    let notes = passes.flatMap { $0.lines(width: columns - 1, palette: palette) }.map { " \($0)" }
    // A round ends with so many rows. The room for them keeps the page in its place.
    let room = max(passes.isEmpty ? 0 : 5, notes.count)

    func body(code: Bool, cellHeight: Int, isExplained: Bool, isSpaced: Bool) -> [String] {
      let blank = isSpaced ? [""] : []
      return [first] + blank + ((isExplained ? words : []) + note).map { " \($0)" } + blank
        + block.lines(code: code, cellHeight: cellHeight) + blank + notes
        + Array(repeating: "", count: room - notes.count)
    }
    let heights = (2...max(block.cellHeight, 2)).reversed()
    let codes = block.hasRoomForCode ? [true, false] : [false]
    let bodies =
      codes.flatMap { code in heights.map { (code, $0, true, true) } }
      + [(false, 2, true, false), (false, 1, true, false), (false, 1, false, false)]
    let fits = bodies.lazy.map(body).first { $0.count + last.count <= rows }
    return fill(fits ?? body(code: false, cellHeight: 1, isExplained: false, isSpaced: false), last, rows)
  }

  /// The lines with the last ones at the bottom.
  private func fill(_ lines: [String], _ last: [String], _ rows: Int) -> [String] {
    let lines = lines.prefix(max(rows - last.count, 1))
    return Array((lines + Array(repeating: "", count: max(rows - lines.count - last.count, 0)) + last).prefix(rows))
  }
}

/// Panels side by side, each in so many columns.
struct PanelBlock {
  /// The columns of the longest line of code.
  private static let codeWidth = 38

  let panels: [Panel]
  let width: Int
  let palette: Palette

  var hasRoomForCode: Bool { width >= Self.codeWidth }
  /// The rows of a cell that is as high as wide.
  var cellHeight: Int { (cellWidth + 1) / 2 }
  private var cellWidth: Int { min((width - 2) / Cells.columns, 7) }
  private var gridWidth: Int { Cells.columns * cellWidth }

  /// The lines, with the code or the titles. Titles that are short enough stand in the upper edges of the grids.
  func lines(code: Bool = false, cellHeight: Int = 1) -> [String] {
    let isTitled = !code && panels.allSatisfy { $0.title.count + 2 < gridWidth }
    let names = panels.map { text((code ? $0.code : [$0.title]).map { ($0, .plain) }) }
    return (isTitled ? [] : beside(names)) + beside(panels.map { grid($0, isTitled ? $0.title : "", cellHeight) })
      + beside(panels.map { text($0.words) })
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

  /// The cells, in a frame that is red and thick if the panel is late.
  private func grid(_ panel: Panel, _ title: String, _ cellHeight: Int) -> [String] {
    let parts = (panel.isLate ? "┏━┓┃┗┛" : "╭─╮│╰╯").map { String($0) }
    func framed(_ text: String) -> String { palette.styled(text, panel.isLate ? .stale : .faint) }
    func line(_ count: Int) -> String { String(repeating: parts[1], count: count) }
    let (used, name) = (gridWidth, title.isEmpty ? "" : " \(title) ")
    let upper =
      framed(parts[0] + line(1)) + palette.styled(name, name.isEmpty ? .plain : .title)
      + framed(line(max(used - 1 - name.count, 0)) + parts[2])
    let lines = (0..<Cells.rows).flatMap { row in
      let cells = (0..<Cells.columns).map {
        palette.cell(alpha: panel.alphas[row * Cells.columns + $0], width: cellWidth)
      }
      return Array(repeating: framed(parts[3]) + cells.joined() + framed(parts[3]), count: cellHeight)
    }
    let rest = "".padded(to: width - used - 2)
    return ([upper] + lines + [framed(parts[4] + line(used) + parts[5])]).map { $0 + rest }
  }
}
