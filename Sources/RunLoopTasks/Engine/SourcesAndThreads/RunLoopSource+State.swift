import Foundation

/// The state of a source. The source's lock guards it.
struct SourceState<Command: Sendable> {
  /// The loop that the source is in.
  struct Home {
    let scheduler: Scheduler
    let source: LoopSource
  }

  struct Closures {
    let perform: @Sendable ([Command]) -> Void
    let onSchedule: (@Sendable (RunLoop.Mode) -> Void)?
    let onCancel: (@Sendable (RunLoop.Mode) -> Void)?
  }

  /// `nil` once the source is invalid.
  var closures: Closures?
  var commands = Buffer<Command>()
  /// `nil` without modes.
  var home: Home?
  var modes: [RunLoop.Mode] = []

  func isServed(inDrainOf scheduler: Scheduler) -> Bool {
    home?.scheduler === scheduler && modes.contains { $0 == .default || $0 == .common }
  }

  /// Takes the source out of modes of its loop.
  ///
  /// - Returns: the modes that it has left.
  mutating func leave(_ owner: any SourceOwner, where mustLeave: (RunLoop.Mode) -> Bool) -> [RunLoop.Mode] {
    let left = modes.filter(mustLeave)
    guard let home, !left.isEmpty else { return [] }
    modes.removeAll(where: mustLeave)
    home.scheduler.attachment.withLock { [modes] in $0.remove(home.source, of: owner, from: left, stayingIn: modes) }
    if modes.isEmpty { self.home = nil }
    return left
  }
}
