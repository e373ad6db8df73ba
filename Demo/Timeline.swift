import Foundation
import RunLoopTasks

/// The activities of the main run loop, pass by pass, as an observer sees them.
@MainActor
final class Timeline {
  /// An activity, with the notes up to the next activity.
  struct Step {
    var pass = 0
    /// The depth of the nesting: 1 for a run that is not nested.
    let depth: Int
    var activity: RunLoop.Activity
    var notes: [Note] = []
  }

  struct Note {
    enum Kind: Equatable {
      case task, question, answer
      case reload(CollectionView.Way)
      case frame(isStale: Bool)
    }

    let event: String
    let kind: Kind
    /// The number of times that it happened in a row.
    var count = 1

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

  private(set) var steps: [Step] = []
  private var passCount = 0
  /// The current steps of the runs under way, from the outermost run to the innermost.
  private var underWay: [Step] = []
  private var observers: [RunLoopObserver] = []

  init() {
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
  func note(_ event: String, _ kind: Note.Kind) {
    guard let current = underWay.last else { return }
    // After a nested run, the interrupted pass begins a new step.
    if steps.last?.pass != current.pass { steps.append(current) }
    let (step, last) = (steps.count - 1, steps[steps.count - 1].notes.count - 1)
    if last >= 0, steps[step].notes[last].event == event {
      steps[step].notes[last].count += 1
    } else {
      steps[step].notes.append(Note(event: event, kind: kind))
    }
  }

  /// Forgets the steps so far. The pass under way becomes the first one.
  func beginRound() {
    (steps, passCount) = ([], 1)
    if !underWay.isEmpty { underWay[underWay.count - 1].pass = 1 }
  }

  private func observe(_ activity: RunLoop.Activity) {
    let isNew = activity == .entry || underWay.isEmpty  // empty if the run began before the timeline
    if isNew { underWay.append(Step(depth: underWay.count + 1, activity: activity)) }
    let last = underWay.count - 1
    if isNew || activity == .afterWaiting {
      passCount += 1
      underWay[last].pass = passCount
    }
    underWay[last].activity = activity
    steps.append(underWay[last])
  }

  /// The notes since the first one of a kind.
  func rows(from first: Note.Kind) -> [Row] {
    var last: Step?
    return steps.flatMap { step in step.notes.map { (step, $0) } }.drop { $0.1.kind != first }.map { step, note in
      defer { last = step }
      let isNewPass = last?.pass != step.pass
      return Row(
        pass: isNewPass ? "\(step.pass)" : "",
        activity: isNewPass || last?.activity != step.activity ? "\(step.activity)" : "", note: note)
    }
  }

  /// A note, with its pass and its activity if they are others than before.
  struct Row {
    let pass, activity: String
    let note: Note

    func head(_ title: String = "pass ", activities: Bool = true) -> String {
      ((pass.isEmpty ? "" : title) + pass).padded(to: title.count + 3) + (activities ? activity.padded(to: 14) : "")
        + "▸ "
    }

    /// The row as lines for a screen. A narrow one has no room for the activities.
    func lines(width: Int, palette: Palette) -> [String] {
      let head = head(width < 70 ? "" : "pass ", activities: width > 36)
      return note.text.wrapped(to: max(width - head.count, 1)).enumerated().map { index, words in
        palette.styled(((index == 0 ? head : "".padded(to: head.count)) + words).cut(to: width), note.style)
      }
    }
  }
}
