import Foundation
import RunLoopTasks

/// What the main run loop does, pass by pass, as an observer of all its activities sees it.
@MainActor
final class Timeline {
  /// One turn of a run.
  struct Pass {
    let number: Int
    /// 1 for a run that is not nested in another.
    let depth: Int
    var steps: [Step] = []
  }

  /// An activity, and what happened until the next.
  struct Step {
    let activity: RunLoop.Activity
    var notes: [Note] = []
  }

  struct Note {
    let what: String
    /// Whether it was a task that ran.
    let isTask: Bool
    /// How often it happened, one after the other.
    var count = 1

    var text: String { count == 1 ? what : "\(what) ×\(count)" }
  }

  private(set) var passes: [Pass] = []
  private let capacity: Int
  private var passNumber = 0
  /// The passes under way, from the outermost run to the innermost: their numbers, and where they are.
  private var underWay: [(number: Int, activity: RunLoop.Activity)] = []
  private var observers: [RunLoopObserver] = []

  /// - Parameter capacity: how many passes to keep, the latest.
  init(capacity: Int = 200) {
    self.capacity = capacity
    // First of all, so that what happens at an activity comes after it; and last of all, when a run has been left.
    observers = [
      RunLoop.main.observe(.all, order: .min) { [unowned self] activity in
        MainActor.assumeIsolated { hear(activity) }
      },
      RunLoop.main.observe(.exit, order: .max) { [unowned self] _ in
        MainActor.assumeIsolated { _ = underWay.popLast() }
      },
    ]
  }

  /// Adds what has just happened to the current activity.
  func note(_ text: String) { add(Note(what: text, isTask: false)) }

  /// The same for a task that runs.
  func note(task timing: RunLoopTask.Timing, _ text: String = "") {
    add(Note(what: text.isEmpty ? "\(timing)" : "\(timing): \(text)", isTask: true))
  }

  func removeAll() { passes = [] }

  private func hear(_ activity: RunLoop.Activity) {
    if activity == .entry || underWay.isEmpty {  // empty in a run that began before the timeline
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

  /// Goes on with the innermost pass.
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
    // After a nested run the pass that was interrupted is noted anew.
    if passes.last?.number != current.number { addStep() }
    let (pass, step) = (passes.count - 1, passes[passes.count - 1].steps.count - 1)
    let last = passes[pass].steps[step].notes.count - 1
    if last >= 0, passes[pass].steps[step].notes[last].what == note.what {
      passes[pass].steps[step].notes[last].count += 1
    } else {
      passes[pass].steps[step].notes.append(note)
    }
  }
}
