import Foundation
import RunLoopTasks

/// Passes in words, with a row for each activity at which something happened.
struct PassList {
  /// Events of one activity that have one style.
  struct Row {
    let pass: Int
    let activity: RunLoop.Activity
    let style: Style
    var notes: [Timeline.Note]
  }

  private(set) var rows: [Row] = []

  /// - Parameter first: the kind of the event that begins the list, which then leaves out the tasks that only show the
  ///   other timings; `nil` lists all events.
  init(_ passes: some Sequence<Timeline.Pass>, from first: Timeline.Note.Kind? = nil) {
    var hasBegun = first == nil
    for pass in passes {
      for (step, note) in pass.steps.flatMap({ step in step.notes.map { (step, $0) } }) {
        hasBegun = hasBegun || note.kind == first
        guard hasBegun, first == nil || note.kind != .task else { continue }
        if let last = rows.last, last.pass == pass.number, last.activity == step.activity, last.style == note.style {
          rows[rows.count - 1].notes.append(note)
        } else {
          rows.append(Row(pass: pass.number, activity: step.activity, style: note.style, notes: [note]))
        }
      }
    }
  }

  /// The text before the notes of each row: the number of the pass and the activity, where they change.
  func heads(_ title: String = "", activities: Bool = true) -> [String] {
    rows.indices.map { index in
      let (row, previous) = (rows[index], index > 0 ? rows[index - 1] : nil)
      let isNewPass = previous?.pass != row.pass
      let pass = isNewPass ? title + Self.short(row.pass, width: 4) : ""
      let activity = isNewPass || previous?.activity != row.activity ? "\(row.activity)" : ""
      return pass.padded(to: title.count + 5) + (activities ? activity.padded(to: 14) : "") + "▸ "
    }
  }

  /// The rows as lines for a screen. A narrow one has no room for the activities.
  func lines(width: Int, palette: Palette) -> [String] {
    zip(heads(width < 70 ? "" : "pass ", activities: width > 36), rows).flatMap { head, row in
      let words = row.notes.map(\.text).joined(separator: ", ").wrapped(to: max(width - head.count, 1))
      return words.enumerated().map { index, words in
        palette.styled(((index == 0 ? head : "".padded(to: head.count)) + words).cut(to: width), row.style)
      }
    }
  }

  /// The number of a pass, or its last digits if it is too long for the width.
  private static func short(_ number: Int, width: Int) -> String {
    let digits = "\(number)"
    return digits.count <= width ? digits : "…" + digits.suffix(width - 1)
  }
}
