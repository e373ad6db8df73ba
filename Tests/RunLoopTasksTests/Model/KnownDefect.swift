import Foundation

@testable import RunLoopTasks

/// What the model found and the package has yet to mend. Random scripts keep clear of it, so that it does not hide what is new.
///
/// `KnownDefectTests` shows each of them. Once one is mended its test says so; then take it out here, and what asks for it.
enum KnownDefect: CaseIterable, Sendable {
  /// If a task runs its loop in a mode without tasks, and another thread schedules for it there, then the task misses an activity
  /// of the kind that the outer task runs at.
  case nestedRunHearsMailLate

  /// If one of the observers of `beforeWaiting` in a mode without tasks runs the loop, and meanwhile or just before another thread
  /// schedules for that mode, then the wake-up is lost on the nested run, and the outer one sleeps on that task, or on one that the
  /// observer schedules afterwards.
  case nestedRunTakesWakeUpOfMail
}

extension Set<KnownDefect> {
  static let all = Set(KnownDefect.allCases)
}
