import Foundation
import RunLoopTasks

/// Passes as rows, activities as columns.
struct TimelineTable {
  /// The text of a row in one column, without the blanks around it.
  struct Cell {
    let column: Int
    let text: String
    var isTask = false
    var isStale = false
  }

  private typealias Column = (activity: RunLoop.Activity, width: Int)

  /// The columns, from the widest window to the narrowest. The last column takes the rest of the width.
  private static let layouts: [[Column]] = [
    [(.afterWaiting, 17), (.beforeTimers, 12), (.beforeSources, 13), (.beforeWaiting, 41)],
    [(.afterWaiting, 17), (.beforeSources, 13), (.beforeWaiting, 41)],
    [(.afterWaiting, 15), (.beforeWaiting, 41)],
    [(.afterWaiting, 15), (.beforeWaiting, 26)],
    [(.beforeWaiting, 13)],
  ]

  /// The width of the column with the numbers of the passes, after a margin of one.
  private static let numberWidth = 4

  private let passes: [Timeline.Pass]

  init(_ passes: some Sequence<Timeline.Pass>) { self.passes = Array(passes) }

  /// The rows as lines for a screen.
  func lines(width: Int, palette: Palette) -> [String] {
    rows(width: width).map { row in
      var end = 0
      return row.reduce("") { line, cell in
        defer { end = cell.column + cell.text.count }
        let text =
          cell.isStale
          ? palette.stale(cell.text)
          : cell.isTask ? palette.task(cell.text) : cell.text == "·" ? palette.faint(cell.text) : cell.text
        return line + String(repeating: " ", count: cell.column - end) + text
      }
    }
  }

  /// The rows, fitted to the given width.
  private func rows(width: Int) -> [[Cell]] {
    let columns = Self.columns(width: width)
    let hasNumbers = (columns.first?.start ?? 0) > Self.numberWidth
    func row(_ number: String, _ cell: (RunLoop.Activity) -> Cell?) -> [Cell] {
      (hasNumbers ? [Cell(column: 1, text: number)] : [])
        + columns.compactMap { activity, start, width in
          cell(activity).map {
            Cell(column: start, text: $0.text.cut(to: width), isTask: $0.isTask, isStale: $0.isStale)
          }
        }
    }
    return [row("pass") { Cell(column: 0, text: "\($0)") }]
      + passes.map { pass in row(Self.short(pass.number, width: Self.numberWidth)) { Self.cell(of: pass, at: $0) } }
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

  /// The number of a pass, or its last digits if it is too long for the width.
  static func short(_ number: Int, width: Int) -> String {
    let digits = "\(number)"
    return digits.count <= width ? digits : "…" + digits.suffix(width - 1)
  }

  /// The notes of an activity; `nil` if the pass did not reach the activity.
  private static func cell(of pass: Timeline.Pass, at activity: RunLoop.Activity) -> Cell? {
    let steps = pass.steps.filter { $0.activity == activity }
    guard !steps.isEmpty else { return nil }
    let notes = steps.flatMap(\.notes)
    let text = notes.isEmpty ? "·" : "● " + notes.map(\.text).joined(separator: ", ")
    return Cell(
      column: 0, text: text, isTask: notes.contains(where: \.isTask),
      isStale: notes.contains { $0.kind == .frame(isStale: true) })
  }
}
