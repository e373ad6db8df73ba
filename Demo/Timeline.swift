import Foundation
import RunLoopTasks

/// The activities of the main run loop, pass by pass, as an observer sees them.
@MainActor
final class Timeline {
  /// One trip round the loop.
  struct Pass {
    let number: Int
    /// The depth of the nesting: 1 for a run that is not nested.
    let depth: Int
    var steps: [Step] = []
  }

  /// An activity, with the notes up to the next activity.
  struct Step {
    let activity: RunLoop.Activity
    var notes: [Note] = []
  }

  struct Note {
    enum Kind: Equatable {
      case other, task, question, answer
      case reload(CollectionView.Way)
      case frame(isStale: Bool)

      var isFrame: Bool { [.frame(isStale: true), .frame(isStale: false)].contains(self) }
    }

    let event: String
    let kind: Kind
    /// The number of times that it happened in a row.
    var count = 1
    let time = ContinuousClock.now

    var text: String { count == 1 ? event : "\(event) ×\(count)" }
    /// Green for a task that ran, red for a stale frame.
    var style: Style {
      switch kind {
      case .task, .reload(.endOfPass): .task
      case .frame(isStale: true): .stale
      default: .plain
      }
    }
  }

  private(set) var passes: [Pass] = []
  private let capacity: Int
  private var passNumber = 0
  /// The pass in which the current round of the exchange began.
  private var firstPassOfRound = 0
  /// The passes under way, from the outermost run to the innermost, with their current activities.
  private var underWay: [(number: Int, activity: RunLoop.Activity)] = []
  private var observers: [RunLoopObserver] = []

  /// - Parameter capacity: the number of passes that the timeline keeps. It drops older ones.
  init(capacity: Int = 200) {
    self.capacity = capacity
    // The first observer notes an activity before anything happens at it. The last one sees that a run has ended.
    observers = [
      RunLoop.main.observe(.all, order: .min) { [unowned self] activity in
        MainActor.assumeIsolated { observe(activity) }
      },
      RunLoop.main.observe(.exit, order: .max) { [unowned self] _ in
        MainActor.assumeIsolated { _ = underWay.popLast() }
      },
    ]
  }

  /// Adds a note to the current activity.
  func note(_ text: String, _ kind: Note.Kind = .other) { add(Note(event: text, kind: kind)) }

  /// Adds a note about a task that runs.
  func note(task timing: RunLoopTask.Timing, _ text: String = "") {
    note(text.isEmpty ? "\(timing)" : "\(timing): \(text)", .task)
  }

  /// Begins a round of the exchange.
  func beginRound() { firstPassOfRound = passNumber }

  /// The passes since the current round of the exchange began.
  var passesOfRound: [Pass] { Array(passes.drop { $0.number < firstPassOfRound }) }

  private func observe(_ activity: RunLoop.Activity) {
    if activity == .entry || underWay.isEmpty {  // empty if the run began before the timeline
      underWay.append((beginPass(), activity))
    } else if activity == .afterWaiting {
      underWay[underWay.count - 1].number = beginPass()
    }
    underWay[underWay.count - 1].activity = activity
    addStep()
  }

  private func beginPass() -> Int {
    passNumber += 1
    return passNumber
  }

  /// Adds the current activity of the innermost pass.
  private func addStep() {
    guard let current = underWay.last else { return }
    if passes.last?.number != current.number {
      passes.append(Pass(number: current.number, depth: underWay.count))
      if passes.count > capacity { passes.removeFirst(passes.count - capacity) }
    }
    passes[passes.count - 1].steps.append(Step(activity: current.activity))
  }

  private func add(_ note: Note) {
    guard let current = underWay.last else { return }
    // After a nested run, the interrupted pass begins a new row.
    if passes.last?.number != current.number { addStep() }
    let (pass, step) = (passes.count - 1, passes[passes.count - 1].steps.count - 1)
    let last = passes[pass].steps[step].notes.count - 1
    if last >= 0, passes[pass].steps[step].notes[last].event == note.event {
      passes[pass].steps[step].notes[last].count += 1
    } else {
      passes[pass].steps[step].notes.append(note)
    }
  }
}

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

  /// - Parameter first: the kind of the event that begins the list.
  init(_ passes: some Sequence<Timeline.Pass>, from first: Timeline.Note.Kind) {
    let events = passes.flatMap { pass in pass.steps.flatMap { step in step.notes.map { (pass, step, $0) } } }
    for (pass, step, note) in events.drop(while: { $0.2.kind != first }) {
      if let last = rows.last, last.pass == pass.number, last.activity == step.activity, last.style == note.style {
        rows[rows.count - 1].notes.append(note)
      } else {
        rows.append(Row(pass: pass.number, activity: step.activity, style: note.style, notes: [note]))
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
