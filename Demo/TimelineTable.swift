import Foundation
import RunLoopTasks

/// Passes as rows, activities as columns.
struct TimelineTable {
  /// A piece of a row, without the blanks around it.
  struct Cell {
    let column: Int
    let text: String
    var isTask = false
  }

  private static let activities: [(activity: RunLoop.Activity, column: Int)] = [
    (.afterWaiting, 6), (.beforeTimers, 25), (.beforeSources, 40), (.beforeWaiting, 62),
  ]

  private let passes: [Timeline.Pass]
  private let palette: Palette

  init(_ passes: some Sequence<Timeline.Pass>, palette: Palette) {
    self.passes = Array(passes)
    self.palette = palette
  }

  /// The number of rows, with the titles.
  var count: Int { passes.count + 1 }

  /// The rows for a screen.
  func lines(width: Int) -> [String] {
    rows(width: width).map { row in
      var end = 0
      return row.reduce("") { line, cell in
        defer { end = cell.column + cell.text.count }
        return line + String(repeating: " ", count: cell.column - end)
          + (cell.isTask ? palette.task(cell.text) : cell.text)
      }
    }
  }

  /// The rows, each cut to the given width.
  func rows(width: Int) -> [[Cell]] {
    let titles =
      [Cell(column: 1, text: "pass")] + Self.activities.map { Cell(column: $0.column, text: "\($0.activity)") }
    return ([titles] + passes.map(cells)).map { row in
      let ends = row.dropFirst().map { $0.column - 1 } + [width]
      return zip(row, ends).compactMap { cell, end in
        let room = min(end, width) - cell.column
        return room > 0 ? Cell(column: cell.column, text: String(cell.text.prefix(room)), isTask: cell.isTask) : nil
      }
    }
  }

  private func cells(of pass: Timeline.Pass) -> [Cell] {
    [Cell(column: 1, text: "\(pass.number)")]
      + Self.activities.compactMap { activity, column in
        let steps = pass.steps.filter { $0.activity == activity }
        let notes = steps.flatMap(\.notes)
        guard !steps.isEmpty else { return nil }
        let text = notes.isEmpty ? "·" : "● " + notes.map(\.text).joined(separator: ", ")
        return Cell(column: column, text: text, isTask: notes.contains(where: \.isTask))
      }
  }
}
