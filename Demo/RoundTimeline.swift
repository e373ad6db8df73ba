import Foundation
import RunLoopTasks

/// The passes of a round in words, with a row for each activity at which something happened.
struct RoundTimeline {
  struct Row {
    let pass: Int
    let activity: RunLoop.Activity
    let notes: [Timeline.Note]
  }

  private(set) var rows: [Row]

  init(_ passes: [Timeline.Pass]) {
    rows = passes.flatMap { pass in
      pass.steps.filter { !$0.notes.isEmpty }.map { Row(pass: pass.number, activity: $0.activity, notes: $0.notes) }
    }
  }

  /// The rows from the arrival of the new alphas on.
  var sinceAnswer: RoundTimeline {
    var timeline = self
    timeline.rows = Array(rows.drop { row in !row.notes.contains { $0.kind == .answer } })
    return timeline
  }

  /// The text before the notes of each row. The first row of a pass has its number.
  func heads(_ title: String) -> [String] {
    rows.indices.map { index in
      let isFirst = index == 0 || rows[index - 1].pass != rows[index].pass
      let pass = isFirst ? "\(title)\(rows[index].pass)" : ""
      return pass.padded(to: title.count + 4) + "\(rows[index].activity)".padded(to: 14) + "▸ "
    }
  }

  /// The rows as lines for a screen.
  func lines(width: Int, palette: Palette) -> [String] {
    zip(heads(width < 70 ? "" : "pass "), rows).map { head, row in
      let line = (head + row.notes.map(\.text).joined(separator: ", ")).cut(to: width)
      let isStale = row.notes.contains { $0.kind == .frame(isStale: true) }
      return isStale ? palette.stale(line) : row.notes.contains(where: \.isTask) ? palette.task(line) : line
    }
  }
}
