import Foundation
import RunLoopTasks

/// Passes as rows, activities as columns.
struct TimelineTable {
  /// The text of a row in one column, without the blanks around it.
  struct Cell {
    let column: Int
    let text: String
    var isTask = false
  }

  private typealias Column = (activity: RunLoop.Activity, width: Int)

  /// The columns, from the widest window to the narrowest. The last column takes the rest of the width.
  private static let layouts: [[Column]] = [
    [(.afterWaiting, 19), (.beforeTimers, 13), (.beforeSources, 22), (.beforeWaiting, 30)],
    [(.afterWaiting, 16), (.beforeTimers, 12), (.beforeSources, 13), (.beforeWaiting, 30)],
    [(.afterWaiting, 15), (.beforeSources, 11), (.beforeWaiting, 26)],
    [(.afterWaiting, 15), (.beforeWaiting, 26)],
    [(.beforeWaiting, 13)],
  ]

  /// The width of the column with the numbers of the passes, after a margin of one.
  private static let numberWidth = 4

  /// The width that shows every column in full.
  static let fullWidth = 1 + numberWidth + layouts[0].reduce(0) { $0 + 1 + $1.width }

  private let passes: [Timeline.Pass]

  init(_ passes: some Sequence<Timeline.Pass>) { self.passes = Array(passes) }

  /// The number of rows, including the titles.
  var count: Int { passes.count + 1 }

  /// The rows as lines for a screen.
  func lines(width: Int, palette: Palette) -> [String] {
    rows(width: width).map { row in
      var end = 0
      return row.reduce("") { line, cell in
        defer { end = cell.column + cell.text.count }
        let text = cell.isTask ? palette.task(cell.text) : cell.text == "·" ? palette.faint(cell.text) : cell.text
        return line + String(repeating: " ", count: cell.column - end) + text
      }
    }
  }

  /// The rows, fitted to the given width.
  func rows(width: Int) -> [[Cell]] {
    let columns = Self.columns(width: width)
    let hasNumbers = (columns.first?.start ?? 0) > Self.numberWidth
    func row(_ number: String, _ cell: (RunLoop.Activity) -> Cell?) -> [Cell] {
      (hasNumbers ? [Cell(column: 1, text: number)] : [])
        + columns.compactMap { activity, start, width in
          cell(activity).map { Cell(column: start, text: $0.text.cut(to: width), isTask: $0.isTask) }
        }
    }
    return [row("pass") { Cell(column: 0, text: "\($0)") }]
      + passes.map { pass in row(Self.short(pass.number)) { Self.cell(of: pass, at: $0) } }
  }

  /// The columns that fit into this width.
  private static func columns(width: Int) -> [(activity: RunLoop.Activity, start: Int, width: Int)] {
    func needed(_ layout: [Column]) -> Int { layout.reduce(1 + numberWidth) { $0 + 1 + $1.width } }
    let layout = layouts.first { needed($0) <= width } ?? layouts[layouts.count - 1]
    // If there is no room for the title of the only column, the numbers go as well.
    var start = needed(layout) <= width ? numberWidth + 2 : 0
    return layout.enumerated().map { index, column in
      let own = index == layout.count - 1 ? max(width - start, 0) : column.width
      defer { start += own + 1 }
      return (column.activity, start, own)
    }
  }

  /// The number of a pass, or its last digits if it is too long for the column.
  private static func short(_ number: Int) -> String {
    let digits = "\(number)"
    return digits.count <= numberWidth ? digits : "…" + digits.suffix(numberWidth - 1)
  }

  /// The notes of an activity; `nil` if the pass did not reach the activity.
  private static func cell(of pass: Timeline.Pass, at activity: RunLoop.Activity) -> Cell? {
    let steps = pass.steps.filter { $0.activity == activity }
    guard !steps.isEmpty else { return nil }
    let notes = steps.flatMap(\.notes)
    let text = notes.isEmpty ? "·" : "● " + notes.map(\.text).joined(separator: ", ")
    return Cell(column: 0, text: text, isTask: notes.contains(where: \.isTask))
  }
}
