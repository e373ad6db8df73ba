import Foundation

@testable import RunLoopTasks

/// What the model found and the package has yet to mend. Random scripts keep clear of it, so that it does not hide what is new.
///
/// `KnownDefectTests` shows each of them. Once one is mended its test says so; then take it out here, and what asks for it.
enum KnownDefect: CaseIterable, Sendable {
  /// A mode that becomes a common one while the observers of its `beforeWaiting` are called is slept in, though tasks for the
  /// common modes are pending.
  case modeThatBecomesCommonIsSleptIn

  /// If a task runs its loop in a mode without tasks, and another thread schedules for it there, then the task misses an activity
  /// of the kind that the outer task runs at.
  case nestedRunHearsMailLate

  /// A timer that has woken a run is fired only after the observers of `afterWaiting`. It does not wake a run nested in one of
  /// these. If it is the package's own, or the package relies on one of its own behind it, then the nested run neither wakes for
  /// tasks nor returns.
  case nestedRunReliesOnSpentTimer

  /// If a nested run fires the package's own timer, an outer run in its mode does not look whether that is empty now, and sleeps.
  case nestedRunSpendsTimer

  /// If one of the observers of `beforeWaiting` in a mode without tasks runs the loop, and meanwhile another thread schedules for
  /// that mode, then the wake-up is lost on the nested run, and the outer one sleeps on the task.
  case nestedRunTakesWakeUpOfMail

  /// Another thread's call does not wake the loop while an earlier one has not been heard of, as in a run in a mode that never
  /// had tasks. If it is for the mode of that run, the run sleeps on it.
  case onlyFirstMailWakes

  /// A run nested in a pass in its mode is woken only once to see that its mode is empty; a run nested in that takes the wake-up.
  case passKeepsNestedRunAsleep

  /// A nested run without tasks lets the package go to rest. Then an outer run in its mode, which lost its last task before, does
  /// not look whether that is empty, and sleeps.
  case nestedRunRestsTooEarly
}

extension Set<KnownDefect> {
  static let all = Set(KnownDefect.allCases)
}
