import Foundation
import RunLoopTasks

/// The passes of a round in words, with a row for each activity at which something happened.
struct RoundTimeline {
  struct Row {
    let pass: Int
    let activity: RunLoop.Activity
    let notes: [Timeline.Note]
  }

  let rows: [Row]

  /// - Parameter first: the kind of the event that begins the timeline. The tasks that only show the other timings are
  ///   left out.
  init(_ passes: [Timeline.Pass], from first: Timeline.Note.Kind = .question) {
    var hasBegun = false
    rows = passes.flatMap { pass in
      pass.steps.compactMap { step in
        let notes = step.notes.filter { note in
          hasBegun = hasBegun || note.kind == first
          return hasBegun && note.kind != .task
        }
        return notes.isEmpty ? nil : Row(pass: pass.number, activity: step.activity, notes: notes)
      }
    }
  }

  /// The text before the notes of each row. The first row of a pass has its number.
  func heads(_ title: String) -> [String] {
    rows.indices.map { index in
      let isFirst = index == 0 || rows[index - 1].pass != rows[index].pass
      let pass = isFirst ? title + TimelineTable.short(rows[index].pass, width: 3) : ""
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
