import Foundation

/// The state of a source. The source's lock guards it.
struct SourceState<Command: Sendable> {
  /// The loop that the source is in.
  struct Home {
    let scheduler: Scheduler
    let source: LoopSource
    /// The loop's thread, for messages.
    let thread: String
  }

  struct Closures {
    let perform: @Sendable ([Command]) -> Void
    let onSchedule: (@Sendable (RunLoop.Mode) -> Void)?
    let onCancel: (@Sendable (RunLoop.Mode) -> Void)?
  }

  /// That the source is in a mode.
  final class Membership {
    let mode: RunLoop.Mode
    /// Whether `onSchedule` has returned. Otherwise the thread that calls it also calls `onCancel`, after it.
    var isAnnounced = false

    init(_ mode: RunLoop.Mode) { self.mode = mode }
  }

  /// `nil` once the source is invalid.
  var closures: Closures?
  var commands = Buffer<Command>()
  /// `nil` without memberships.
  var home: Home?
  var memberships: [Membership] = []

  /// Takes the source out of modes of its loop.
  ///
  /// - Returns: the modes for which the caller calls `onCancel`.
  mutating func leave(_ owner: any SourceOwner, where mustLeave: (Membership) -> Bool) -> [RunLoop.Mode] {
    let left = memberships.filter(mustLeave)
    memberships.removeAll(where: mustLeave)
    guard let home, !left.isEmpty else { return [] }
    home.scheduler.attachment.withLock {
      $0.remove(home.source, of: owner, from: left.map(\.mode), stayingIn: memberships.map(\.mode))
    }
    if memberships.isEmpty { self.home = nil }
    return left.filter(\.isAnnounced).map(\.mode)
  }
}
