import Foundation

/// The state of a source. The source's lock guards it.
struct SourceState<Command: Sendable> {
  typealias Callback = @Sendable (RunLoop.Mode) -> Void
  typealias Closures = (perform: @Sendable ([Command]) -> Void, onSchedule: Callback?, onCancel: Callback?)

  /// `nil` once the source is invalid.
  var closures: Closures?
  var commands: [Command] = []
  /// The commands wait, and wake nothing.
  var isHeldBack = false
  /// The loop that the source is in; `nil` without modes.
  var home: (scheduler: Scheduler, source: LoopSource)?
  var modes: [RunLoop.Mode] = []

  var isValid: Bool { closures != nil && home?.scheduler.inbox.isClosed != true }

  /// The calling thread may send something.
  var isOpen: Bool { home.map { home in home.scheduler.inbox.isOpen(toOwnThread: home.scheduler.isCurrent) } ?? true }

  /// A pass would deliver commands now.
  var isReady: Bool { !commands.isEmpty && !isHeldBack }

  func isServed(inDrainOf scheduler: Scheduler) -> Bool {
    home?.scheduler === scheduler && modes.contains { $0 == .default || $0 == .common }
  }
}
